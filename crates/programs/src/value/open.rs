//! Numbers of which a controller may as well have other ones.

use std::sync::Arc;

use clearance_proof::model::moves::Unknown;

use super::{Value, inexact};

/// A number of which a controller may as well have another one. What is made of it is not known, but
/// where all of these mean the same.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenNumber {
    /// One of those that it may be.
    pub number: f64,
    /// The others.
    pub choice: OpenChoice,
    /// Why it is not known which.
    pub why: Arc<Unknown>,
}

impl OpenNumber {
    /// The same with its numbers rounded by a controller.
    pub(super) fn rounded(&self) -> Self {
        Self {
            number: inexact(self.number),
            choice: match self.choice {
                OpenChoice::Sign(numbers, k) => OpenChoice::Sign(numbers.map(inexact), k),
                OpenChoice::Angle(angles, k) => OpenChoice::Angle(angles.map(inexact), k),
                OpenChoice::Turns => OpenChoice::Turns,
            },
            why: self.why.clone(),
        }
    }
}

/// What a controller may choose about a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OpenChoice {
    /// The signs of all numbers of a rotation vector of half a turn, whose fourth number here is 0, or
    /// of a quaternion: these numbers, and which one this is.
    Sign([f64; 4], usize),
    /// How a turn is shared out among the three angles of a frame, or the sign of half a turn: the
    /// angles, and which one this is.
    Angle([f64; 3], usize),
    /// Full turns of an angle.
    Turns,
}

/// The numbers that are known but for their sign, which is the same for all, where these values are
/// they, all computed at one place.
pub(crate) fn known_but_for_sign(items: &[Value]) -> Option<[f64; 4]> {
    let of = |(k, item): (usize, &Value)| match item {
        Value::Open(open) => match open.choice {
            OpenChoice::Sign(numbers, of) if of == k => Some((numbers, open.why.clone())),
            _ => None,
        },
        _ => None,
    };
    let mut of = items.iter().enumerate().map(of);
    let first = of.next()??;
    of.all(|other| other.as_ref() == Some(&first))
        .then_some(first.0)
}
