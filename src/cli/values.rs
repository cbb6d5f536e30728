//! Parsers of flag values: an error says what was expected.

#[cfg(feature = "serve")]
use std::net::SocketAddr;
use tiebreak_base::error::{self, Error};
use tiebreak_base::limits::Size;
use tiebreak_data::records::Outcomes;
use tiebreak_stages::engine::parts::Shard;

pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() && !value.is_empty() => {
            Ok((key.trim().to_string(), value.to_string()))
        }
        _ => Err("expected NAME=COLUMN, such as item=segment_id".to_string()),
    }
}

/// Parses a name of a list with commas.
#[allow(clippy::unnecessary_wraps)] // parsers can fail
pub(super) fn name(text: &str) -> Result<String, String> {
    Ok(text.trim().to_string())
}

/// Parses KEY=VALUE, which picks one of several.
pub(super) fn pick(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() && !value.is_empty() => {
            Ok((key.trim().to_string(), value.to_string()))
        }
        _ => Err("expected KEY=VALUE, such as judge=gpt-4".to_string()),
    }
}

/// Parses words for outcomes with the numbers they mean.
pub(super) fn outcomes(text: &str) -> Result<Outcomes, String> {
    let expected =
        || "expected WORD=NUMBER,…, such as model_a=1,model_b=0,tie=0.5,unsure=none".to_string();
    let pair = |part: &str| {
        let (word, meaning) = part.rsplit_once('=')?;
        Some((word.trim().to_string(), meaning.trim().to_string()))
    };
    let pairs: Option<Vec<(String, String)>> = text.split(',').map(pair).collect();
    Outcomes::new(pairs.ok_or_else(expected)?).map_err(|error| error.to_string())
}

/// Joins the words of several flags.
pub(super) fn together(outcomes: &[Outcomes]) -> error::Result<Outcomes> {
    Outcomes::together(outcomes).map_err(Error::of_key("outcome"))
}

/// Parses the address to listen on.
#[cfg(feature = "serve")]
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        let port: u16 = text.trim_start_matches(':').parse().unwrap_or(8080);
        format!("expected an address and a port, such as 127.0.0.1:{port}")
    })
}

/// Parses the beginning of links; a slash at its end is left out.
#[cfg(feature = "serve")]
pub(super) fn public_url(text: &str) -> Result<String, String> {
    let url = text.trim().trim_end_matches('/');
    let mut schemes = ["https://", "http://"].into_iter();
    let host = schemes.find_map(|scheme| url.strip_prefix(scheme));
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !"?#@\"<>".contains(c);
    match host.is_some_and(|host| {
        !host.is_empty() && !host.starts_with('/') && host.chars().all(is_plain)
    }) {
        true => Ok(url.to_string()),
        false => Err("expected a URL such as https://campaign.example.org".to_string()),
    }
}

/// Parses a size, or 0 for none.
pub(super) fn room(text: &str) -> Result<Size, String> {
    match text.trim() {
        "0" => Ok(Size(0)),
        size => size.parse().map_err(|expected| format!("{expected}, or 0")),
    }
}

pub(super) fn shard(text: &str) -> Result<Shard, String> {
    let parse = || {
        let (number, of) = text.split_once('/')?;
        Some(Shard {
            number: number.trim().parse().ok()?,
            of: of.trim().parse().ok()?,
        })
    };
    parse()
        .filter(|shard| (1..=shard.of).contains(&shard.number))
        .ok_or_else(|| "expected I/N with I from 1 to N, such as 2/4".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "serve")]
    #[test]
    fn links_may_begin_with_any_plain_url() {
        let url = "https://campaign.example.org/one";
        assert_eq!(public_url(&format!("{url}/")), Ok(url.to_string()));
        for text in [
            "campaign.example.org",
            "https://",
            "ftp://a",
            "https://a b",
            "https://a?b",
        ] {
            assert!(public_url(text).is_err(), "{text}");
        }
    }

    #[test]
    fn flags_are_read_as_the_interface_writes_them() {
        assert_eq!(shard("2/4"), Ok(Shard { number: 2, of: 4 }));
        assert!(shard("5/4").is_err() && shard("0/4").is_err());
        assert_eq!("cuda:1".parse(), Ok(tiebreak_metrics::env::Device::Cuda(1)));
    }
}
