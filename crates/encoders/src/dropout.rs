//! Monte Carlo dropout whose masks depend on what is computed, not on when.
//!
//! Gal and Ghahramani, "Dropout as a Bayesian approximation", ICML 2016: dropout stays on at
//! prediction, and the spread of L draws tells how certain the model is.
//!
//! A mask is a function of (seed, token ids and types, draw, site): Philox turns these into a
//! key, and a hash of key and element decides whether the element stays. So batch, order,
//! threads and L change nothing, and draw 3 of 5 is draw 3 of 20. The hash is `lowbias32` (two
//! multiplications, Wellons 2018) with the key's halves mixed in before each; an element stays
//! when its hash is at least p·2³², and is then scaled by 1/(1 − p).

use super::{Scope, Tokens};
use tiebreak_base::rng::{Seed, mix64};

/// Where dropout is applied. Elements are counted row by row: token by width, and for attention
/// head by query by key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropoutSite {
    /// After the embeddings' `LayerNorm`.
    Embeddings,
    /// The attention probabilities of a layer.
    Attention(usize),
    /// The output of attention, in a layer.
    AttentionOutput(usize),
    /// The output of the feed-forward network, in a layer.
    Output(usize),
    /// The input of the classification head.
    HeadInput,
    /// The input of the head's last projection.
    HeadHidden,
    /// Whole layers, where COMET mixes them.
    Mix,
    /// The output of a hidden layer of COMET's network.
    Estimator(usize),
}

impl DropoutSite {
    fn number(self) -> u64 {
        match self {
            Self::Embeddings => 0,
            Self::HeadInput => 1,
            Self::HeadHidden => 2,
            Self::Mix => 3,
            Self::Estimator(layer) => 4 * (layer as u64 + 1) + 3,
            Self::Attention(layer) => 4 * (layer as u64 + 1),
            Self::AttentionOutput(layer) => 4 * (layer as u64 + 1) + 1,
            Self::Output(layer) => 4 * (layer as u64 + 1) + 2,
        }
    }

    /// Whether it lies in the embeddings or in one of the first layers.
    fn is_below(self, layers: usize) -> bool {
        match self {
            Self::Embeddings => true,
            Self::Attention(layer) | Self::AttentionOutput(layer) | Self::Output(layer) => {
                layer < layers
            }
            Self::HeadInput | Self::HeadHidden | Self::Mix | Self::Estimator(_) => false,
        }
    }
}

/// All the masks of one draw over one sequence.
#[derive(Debug, Clone, Copy)]
pub struct Dropout {
    seed: Seed,
    draw: u32,
    /// The number of first layers that, like the embeddings, have no dropout; `None` if it is everywhere.
    trunk: Option<usize>,
}

impl Dropout {
    /// The masks of draw `draw` for an input.
    pub fn new(seed: Seed, tokens: &Tokens, draw: u32) -> Self {
        let pairs = tokens.ids.iter().zip(&tokens.types);
        let input = pairs.fold(mix64(seed.0), |hash, (&id, &kind)| {
            mix64(hash ^ (u64::from(id) | u64::from(kind) << 32))
        });
        Self {
            seed: Seed(input),
            draw,
            trunk: None,
        }
    }

    /// Restricts the masks to some part of an encoder of so many layers.
    #[must_use]
    pub fn within(mut self, scope: Scope, layers: usize) -> Self {
        self.trunk = match scope {
            Scope::All => None,
            Scope::LastLayer => Some(layers.saturating_sub(1)),
        };
        self
    }

    /// Whether nothing is dropped in the embeddings and the first layers.
    pub(super) fn spares(&self, layers: usize) -> bool {
        self.trunk.is_some_and(|trunk| trunk >= layers)
    }

    /// The mask of one site; `None` when nothing is dropped there.
    pub fn mask(&self, site: DropoutSite, rate: f64) -> Option<Mask> {
        if self.trunk.is_some_and(|layers| site.is_below(layers)) {
            return None;
        }
        let threshold = (rate * 4_294_967_296.0).round() as u32;
        let index = u64::from(self.draw) << 32 | site.number();
        let mut rng = self.seed.stream("dropout", index);
        (threshold > 0).then(|| Mask {
            key: [rng.next_u32(), rng.next_u32()],
            threshold,
            scale: (1.0 / (1.0 - rate)) as f32,
        })
    }
}

/// The choice of the elements of one array that stay.
#[derive(Debug, Clone, Copy)]
pub struct Mask {
    key: [u32; 2],
    threshold: u32,
    scale: f32,
}

impl Mask {
    /// Sets dropped elements to 0 and scales the others; `first` is the number of the first.
    #[inline(always)]
    pub fn apply(&self, first: usize, values: &mut [f32]) {
        let first = first as u32;
        for (i, value) in values.iter_mut().enumerate() {
            let stays = self.hash(first.wrapping_add(i as u32)) >= self.threshold;
            *value = if stays { *value * self.scale } else { 0.0 };
        }
    }

    #[inline(always)]
    fn hash(&self, counter: u32) -> u32 {
        let mut x = counter ^ self.key[0];
        x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
        x = (x ^ (x >> 15) ^ self.key[1]).wrapping_mul(0x846c_a68b);
        x ^ (x >> 16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(ids: &[u32]) -> Tokens {
        Tokens {
            ids: ids.to_vec(),
            types: vec![0; ids.len()],
        }
    }

    fn kept(mask: Mask, n: usize) -> Vec<bool> {
        let mut values = vec![1.0; n];
        mask.apply(0, &mut values);
        values.iter().map(|&x| x != 0.0).collect()
    }

    #[test]
    fn the_rate_and_the_mean_are_right() {
        for rate in [0.05, 0.1, 0.5] {
            let mask = Dropout::new(Seed(1), &tokens(&[2, 7, 3]), 0)
                .mask(DropoutSite::Output(3), rate)
                .unwrap();
            let n = 1_000_000;
            let mut values = vec![1.0_f32; n];
            mask.apply(0, &mut values);
            let dropped = values.iter().filter(|&&x| x == 0.0).count() as f64 / n as f64;
            let sigma = (rate * (1.0 - rate) / n as f64).sqrt();
            assert!(
                (dropped - rate).abs() < 4.0 * sigma,
                "{dropped} against {rate}"
            );
            let mean = values.iter().map(|&x| f64::from(x)).sum::<f64>() / n as f64;
            assert!((mean - 1.0).abs() < 4.0 * sigma / (1.0 - rate));
        }
    }

    #[test]
    fn every_part_of_the_key_matters_and_no_two_masks_are_alike() {
        let n = 100_000;
        let of = |seed, ids: &[u32], draw, site| {
            let mask = Dropout::new(Seed(seed), &tokens(ids), draw).mask(site, 0.1);
            kept(mask.unwrap(), n)
        };
        let base = of(1, &[5, 6], 0, DropoutSite::Attention(0));
        assert_eq!(base, of(1, &[5, 6], 0, DropoutSite::Attention(0)));
        let others = [
            of(2, &[5, 6], 0, DropoutSite::Attention(0)),
            of(1, &[6, 5], 0, DropoutSite::Attention(0)),
            of(1, &[5, 6], 1, DropoutSite::Attention(0)),
            of(1, &[5, 6], 0, DropoutSite::Attention(1)),
            of(1, &[5, 6], 0, DropoutSite::Output(0)),
            of(1, &[5, 6], 0, DropoutSite::HeadInput),
        ];
        let dropped = |mask: &[bool], i: usize| !mask[i];
        for other in &others {
            // Independent masks of rate 0.1 drop an element together once in a hundred.
            let both = (0..n).filter(|&i| dropped(&base, i) && dropped(other, i));
            let share = both.count() as f64 / n as f64;
            assert!((share - 0.01).abs() < 0.0013, "{share}");
        }
        let neighbours = (1..n).filter(|&i| dropped(&base, i) && dropped(&base, i - 1));
        let share = neighbours.count() as f64 / n as f64;
        assert!((share - 0.01).abs() < 0.0013, "{share}");
    }

    #[test]
    fn a_rate_of_zero_drops_nothing() {
        let dropout = Dropout::new(Seed(1), &tokens(&[1]), 0);
        assert!(dropout.mask(DropoutSite::Embeddings, 0.0).is_none());
    }

    #[test]
    fn in_the_last_layer_the_masks_are_those_of_all() {
        let all = Dropout::new(Seed(7), &tokens(&[2, 9, 3]), 4);
        let last = all.within(Scope::LastLayer, 3);
        let same = |site| {
            let [all, last] = [all, last].map(|dropout| dropout.mask(site, 0.3));
            last.map(|mask| kept(mask, 100)) == all.map(|mask| kept(mask, 100))
        };
        for site in [
            DropoutSite::Attention(2),
            DropoutSite::AttentionOutput(2),
            DropoutSite::Output(2),
            DropoutSite::HeadInput,
            DropoutSite::HeadHidden,
        ] {
            assert!(same(site), "{site:?}");
        }
        for site in [
            DropoutSite::Embeddings,
            DropoutSite::Attention(1),
            DropoutSite::Output(0),
        ] {
            assert!(last.mask(site, 0.3).is_none(), "{site:?}");
        }
        assert!(last.spares(2) && !last.spares(3) && !all.spares(0));
    }

    /// Published numbers depend on these bits.
    #[test]
    fn the_masks_never_move() {
        let dropout = Dropout::new(Seed(42), &tokens(&[2, 100, 3]), 1);
        let mask = dropout.mask(DropoutSite::AttentionOutput(1), 0.5).unwrap();
        let bits = kept(mask, 32)
            .iter()
            .fold(0_u32, |bits, &stays| bits << 1 | u32::from(stays));
        assert_eq!(bits, 0xab88_603b, "{bits:#010x}");
    }
}
