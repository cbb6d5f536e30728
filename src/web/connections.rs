//! Connections: how many there may be at once, and how long they may keep the server waiting.
//!
//! Each takes a descriptor, and an answer that is written needs some too: whoever reaches the port must not take the
//! last one. A connection over the limit hears that the server is busy, which pages take for a moment's patience.

use super::{SECURITY, busy};
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::net::{IpAddr, Ipv6Addr};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio::time::{sleep, timeout};

/// The most connections, however many files the process may open.
const MOST: usize = 512;

/// The most connections of one address.
const MOST_OF_ONE: usize = 64;

/// The time for the head of a request, which is also that for which a connection may be idle.
const HEAD: Duration = Duration::from_secs(15);

/// The time after which a connection is closed at the end of a request, so that who reads no reply does not keep it.
const LIFE: Duration = Duration::from_mins(10);

/// The time for the last reply of a connection that lives no longer.
const LAST: Duration = Duration::from_mins(1);

/// The time that requests in progress have once the server closes: a browser may keep a connection open for ever.
const GRACE: Duration = Duration::from_secs(2);

/// The pause after a connection that could not be accepted, since no descriptor was left.
const PAUSE: Duration = Duration::from_millis(100);

/// Accepts connections until it is stopped; replies in progress are still sent then.
pub(super) async fn serve(listener: TcpListener, app: Router, mut stopped: oneshot::Receiver<()>) {
    let limits = Arc::new(ConnectionLimits::new(descriptors() / 2));
    let (closing, closed) = watch::channel(());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = &mut stopped => break,
        };
        match accepted {
            Ok((stream, from)) => match limits.admit(from.ip()) {
                Some(slot) => {
                    tokio::spawn(attend(stream, app.clone(), closed.clone(), slot));
                }
                None => turn_away(stream),
            },
            Err(_) => sleep(PAUSE).await,
        }
    }
    drop((listener, closed));
    let _ = closing.send(());
    let _ = timeout(GRACE, closing.closed()).await;
}

/// Serves one connection to its end.
async fn attend(
    stream: TcpStream,
    app: Router,
    mut closing: watch::Receiver<()>,
    _slot: ConnectionSlot,
) {
    // What is no request at all hyper answers itself (400, 414, 431), with no body and before any layer: no header can be
    // added there.
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD);
    let service = TowerToHyperService::new(app);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        _ = &mut connection => return,
        _ = closing.changed() => {}
        () = sleep(LIFE) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = timeout(LAST, connection).await;
}

/// Tells a client that there is no room. What it sends is not read, so it may not hear of it.
fn turn_away(stream: TcpStream) {
    let (body, pause) = busy();
    let security = SECURITY.map(|(name, value)| format!("{name}: {value}\r\n"));
    let security = security.concat();
    let reply = format!(
        "HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: {pause}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n{security}\r\n{body}",
        body.len()
    );
    let _ = stream
        .into_std()
        .and_then(|mut stream| stream.write_all(reply.as_bytes()));
}

/// The connections that are open.
struct ConnectionLimits {
    most: usize,
    /// Their number by network.
    open: Mutex<BTreeMap<IpAddr, usize>>,
}

/// The right to one connection.
struct ConnectionSlot {
    limits: Arc<ConnectionLimits>,
    network: IpAddr,
}

impl ConnectionLimits {
    fn new(most: usize) -> Self {
        Self {
            most: most.clamp(1, MOST),
            open: Mutex::default(),
        }
    }

    /// Admits a connection, if there is room.
    fn admit(self: &Arc<Self>, from: IpAddr) -> Option<ConnectionSlot> {
        let network = network(from);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = open.values().sum();
        let own = open.get(&network).copied().unwrap_or(0);
        // Behind a proxy on this machine everybody has its address.
        let is_too_many = own >= MOST_OF_ONE && !network.is_loopback();
        if all >= self.most || is_too_many {
            return None;
        }
        open.insert(network, own + 1);
        let limits = Arc::clone(self);
        Some(ConnectionSlot { limits, network })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let open = self.limits.open.lock();
        let mut open = open.unwrap_or_else(PoisonError::into_inner);
        let left = open.get(&self.network).map_or(0, |own| own - 1);
        match left {
            0 => open.remove(&self.network),
            left => open.insert(self.network, left),
        };
    }
}

/// What one client has of addresses: one of IPv4, 2⁶⁴ of IPv6.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            let first = address.to_bits() >> 64 << 64;
            Ipv6Addr::from_bits(first).into()
        }
        other => other,
    }
}

/// The number of files that this process may open; where it is not known, the least that systems allow.
fn descriptors() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let limit = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"));
    let soft = limit.and_then(|limit| limit.split_whitespace().next());
    match soft.map(str::parse) {
        Some(Ok(soft)) => soft,
        None if cfg!(unix) => 256,
        _ => 2 * MOST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_has_its_share_and_a_proxy_on_this_machine_all() {
        let limits = Arc::new(ConnectionLimits::new(200));
        let admit = |address: &str, number: usize| -> Vec<ConnectionSlot> {
            let tried = (0..number).map(|_| limits.admit(address.parse().unwrap()));
            tried.flatten().collect()
        };
        let mut one = admit("203.0.113.7", 100);
        assert_eq!(one.len(), MOST_OF_ONE);
        assert_eq!(admit("::ffff:203.0.113.7", 1).len(), 0);
        one.pop();
        one.extend(admit("203.0.113.7", 2));
        assert_eq!(one.len(), MOST_OF_ONE);
        let six = admit("2001:db8::1", MOST_OF_ONE);
        assert_eq!(admit("2001:db8::2", 1).len(), 0, "the same network");
        assert_eq!(admit("2001:db8:0:1::1", 1).len(), 1);
        drop(six);
        let proxy = admit("127.0.0.1", 1000);
        assert_eq!(proxy.len(), 200 - MOST_OF_ONE);
        assert_eq!(admit("198.51.100.1", 1).len(), 0, "no room is left");
        drop((one, proxy));
        assert!(limits.open.lock().unwrap().is_empty());
        assert!(descriptors() > 0);
    }
}
