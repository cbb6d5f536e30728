//! Exact optimal transport: the cheapest way of moving piles of earth into holes.
//!
//! Source: successive shortest paths with node potentials (Edmonds and Karp, "Theoretical
//! improvements in algorithmic efficiency for network flow problems", 1972; the rectangular
//! assignment method of Jonker and Volgenant, 1987, with amounts instead of single units). Each
//! pile is moved along cheapest paths, which may push back what was moved before.
//!
//! Amounts are counted in units of 2⁻⁴⁰ of the larger total, so that what is left of a pile is
//! exact and the method ends.

/// The number of units in the larger total.
const UNITS: f64 = 1_099_511_627_776.0;

/// The cheapest flow of as much as fits: row-major, `supply.len()` by `demand.len()`, in the unit
/// of the amounts. `cost` has the same shape; amounts and costs are finite and not negative.
///
/// # Panics
/// If `cost` has another size.
pub(crate) fn cheapest_flow(cost: &[f64], supply: &[f64], demand: &[f64]) -> Vec<f64> {
    let (n, m) = (supply.len(), demand.len());
    assert_eq!(cost.len(), n * m, "a cost for every pair");
    let (given, wanted) = (supply.iter().sum::<f64>(), demand.iter().sum::<f64>());
    let unit = given.max(wanted) / UNITS;
    if unit <= 0.0 {
        return vec![0.0; n * m];
    }
    let units = |amounts: &[f64]| -> Vec<u64> {
        let whole = amounts.iter().map(|amount| (amount / unit).round() as u64);
        whole.collect()
    };
    let (supply, demand) = (units(supply), units(demand));
    let scaled = |flow: u64| flow as f64 * unit;
    if supply.iter().sum::<u64>() <= demand.iter().sum::<u64>() {
        let flow = TransportFlow::new(cost.to_vec(), supply, demand).solve();
        return flow.into_iter().map(scaled).collect();
    }
    // Every pile must find room, so the smaller side is moved into the larger.
    let turned = transpose(cost, n, m);
    let flow = TransportFlow::new(turned, demand, supply).solve();
    transpose(&flow, m, n).into_iter().map(scaled).collect()
}

/// The earth mover's distance: the total cost of the cheapest flow.
///
/// # Panics
/// As `cheapest_flow`.
pub(crate) fn earth_movers_distance(cost: &[f64], supply: &[f64], demand: &[f64]) -> f64 {
    let flow = cheapest_flow(cost, supply, demand);
    flow.iter().zip(cost).map(|(flow, cost)| flow * cost).sum()
}

fn transpose<T: Copy>(matrix: &[T], rows: usize, columns: usize) -> Vec<T> {
    let at = |j: usize| (0..rows).map(move |i| matrix[i * columns + j]);
    (0..columns).flat_map(at).collect()
}

/// A flow under construction. A pair that carries earth costs exactly its two potentials, every
/// other pair at least that.
struct TransportFlow {
    cost: Vec<f64>,
    supply: Vec<u64>,
    room: Vec<u64>,
    flow: Vec<u64>,
    row_potential: Vec<f64>,
    column_potential: Vec<f64>,
}

/// The cheapest paths from one row, as far as they were followed.
struct Paths {
    row_distance: Vec<f64>,
    column_distance: Vec<f64>,
    /// The row before each column, and the column before each row.
    before_column: Vec<usize>,
    before_row: Vec<Option<usize>>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    /// The nearest column that has room.
    end: usize,
}

impl TransportFlow {
    fn new(cost: Vec<f64>, supply: Vec<u64>, room: Vec<u64>) -> Self {
        Self {
            flow: vec![0; cost.len()],
            row_potential: vec![0.0; supply.len()],
            column_potential: vec![0.0; room.len()],
            cost,
            supply,
            room,
        }
    }

    fn solve(mut self) -> Vec<u64> {
        for row in 0..self.supply.len() {
            while self.supply[row] > 0 {
                let Some(paths) = self.paths(row) else { break };
                self.reprice(&paths);
                self.push(row, &paths);
            }
        }
        self.flow
    }

    /// The cost of a pair beyond its potentials; never below 0 but for rounding.
    fn excess(&self, row: usize, column: usize) -> f64 {
        let cost = self.cost[row * self.room.len() + column];
        (cost - self.row_potential[row] - self.column_potential[column]).max(0.0)
    }

    /// Dijkstra's method from `start` to the nearest column with room; `None` if none has any.
    fn paths(&self, start: usize) -> Option<Paths> {
        let (n, m) = (self.supply.len(), self.room.len());
        let mut paths = Paths {
            row_distance: vec![f64::INFINITY; n],
            column_distance: vec![f64::INFINITY; m],
            before_column: vec![start; m],
            before_row: vec![None; n],
            rows: vec![start],
            columns: Vec::new(),
            end: 0,
        };
        paths.row_distance[start] = 0.0;
        let mut open: Vec<usize> = (0..m).collect();
        let mut looked_at = 0;
        loop {
            for &row in &paths.rows[looked_at..] {
                for &column in &open {
                    let distance = paths.row_distance[row] + self.excess(row, column);
                    if distance < paths.column_distance[column] {
                        paths.column_distance[column] = distance;
                        paths.before_column[column] = row;
                    }
                }
            }
            looked_at = paths.rows.len();
            let distance = |&(_, column): &(usize, &usize)| paths.column_distance[*column];
            let nearest = open.iter().enumerate();
            let (place, &column) = nearest.min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
            open.remove(place);
            paths.columns.push(column);
            paths.end = column;
            if self.room[column] > 0 {
                return Some(paths);
            }
            for row in 0..n {
                let carries = self.flow[row * m + column] > 0;
                if carries && paths.row_distance[row].is_infinite() {
                    paths.row_distance[row] = paths.column_distance[column];
                    paths.before_row[row] = Some(column);
                    paths.rows.push(row);
                }
            }
        }
    }

    /// Updates the potentials, so that they hold for the next flow.
    fn reprice(&mut self, paths: &Paths) {
        let end = paths.column_distance[paths.end];
        for &row in &paths.rows {
            self.row_potential[row] += end - paths.row_distance[row];
        }
        for &column in &paths.columns {
            self.column_potential[column] -= end - paths.column_distance[column];
        }
    }

    /// Moves as much as the path to its end can take.
    fn push(&mut self, start: usize, paths: &Paths) {
        let m = self.room.len();
        let mut steps = Vec::new();
        let mut column = paths.end;
        let mut amount = self.supply[start].min(self.room[column]);
        loop {
            let row = paths.before_column[column];
            let back = paths.before_row[row];
            steps.push((row, column, back));
            let Some(before) = back else { break };
            amount = amount.min(self.flow[row * m + before]);
            column = before;
        }
        for (row, column, back) in steps {
            self.flow[row * m + column] += amount;
            if let Some(before) = back {
                self.flow[row * m + before] -= amount;
            }
        }
        self.supply[start] -= amount;
        self.room[paths.end] -= amount;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    /// The cheapest way by trying all: each unit of supply goes to some unit of demand.
    fn by_trying(cost: &[f64], supply: &[u32], room: &mut [u32], from: usize) -> f64 {
        let m = room.len();
        let mut left = supply.to_vec();
        let Some(row) = (from..supply.len()).find(|&row| supply[row] > 0) else {
            return 0.0;
        };
        left[row] -= 1;
        let mut best = f64::INFINITY;
        for column in 0..m {
            if room[column] > 0 {
                room[column] -= 1;
                let rest = by_trying(cost, &left, room, row);
                best = best.min(cost[row * m + column] + rest);
                room[column] += 1;
            }
        }
        best
    }

    #[test]
    fn no_way_is_cheaper() {
        let mut rng = Seed(3).stream("transport", 0);
        for case in 0..300 {
            let (n, m) = (1 + case % 4, 1 + (case / 4) % 3);
            // Few distinct costs, so that ties and costs of zero occur.
            let cost: Vec<f64> = (0..n * m).map(|_| (rng.uniform() * 6.0).floor()).collect();
            let supply: Vec<u32> = (0..n).map(|_| (rng.uniform() * 3.0) as u32).collect();
            let total: u32 = supply.iter().sum();
            let mut room: Vec<u32> = (0..m).map(|_| (rng.uniform() * 4.0) as u32).collect();
            room[0] += total.saturating_sub(room.iter().sum());
            let expected = by_trying(&cost, &supply, &mut room, 0);
            let supply: Vec<f64> = supply.into_iter().map(f64::from).collect();
            let room: Vec<f64> = room.into_iter().map(f64::from).collect();
            let found = earth_movers_distance(&cost, &supply, &room);
            assert!(
                (found - expected).abs() < 1e-9,
                "{case}: {found}, {expected}"
            );
            let turned = transpose(&cost, n, m);
            let back = earth_movers_distance(&turned, &room, &supply);
            assert!((back - expected).abs() < 1e-9, "{case}: {back}, {expected}");
        }
    }

    #[test]
    fn everything_arrives_and_leaves() {
        let mut rng = Seed(3).stream("transport", 1);
        let (n, m) = (40, 25);
        let cost: Vec<f64> = (0..n * m).map(|_| rng.uniform()).collect();
        let shares = |amounts: Vec<f64>| -> Vec<f64> {
            let total: f64 = amounts.iter().sum();
            amounts.iter().map(|amount| amount / total).collect()
        };
        let supply = shares((0..n).map(|_| rng.uniform()).collect());
        let demand = shares((0..m).map(|_| rng.uniform()).collect());
        let flow = cheapest_flow(&cost, &supply, &demand);
        for (row, given) in flow.chunks_exact(m).zip(&supply) {
            assert!((row.iter().sum::<f64>() - given).abs() < 1e-10);
        }
        for (column, wanted) in demand.iter().enumerate() {
            let arrived: f64 = flow.iter().skip(column).step_by(m).sum();
            assert!((arrived - wanted).abs() < 1e-10);
        }
    }

    #[test]
    fn nothing_moves_where_nothing_is() {
        assert_eq!(cheapest_flow(&[2.0, 3.0], &[1.0], &[0.0, 0.0]), [0.0, 0.0]);
        assert_eq!(cheapest_flow(&[2.0, 3.0], &[0.0], &[0.0, 0.0]), [0.0, 0.0]);
        assert!(cheapest_flow(&[], &[], &[1.0]).is_empty());
        assert_eq!(earth_movers_distance(&[2.0, 3.0], &[2.0], &[1.0, 0.0]), 2.0);
    }
}
