//! Chooses the widest instructions that the machine has, once per call.
//!
//! The only module with unsafe code: a function that is compiled for an instruction set may be
//! called only where the set exists. That is checked right before, or every machine of its kind has
//! the set.
#![allow(unsafe_code)]

use super::next_step::NextStep;
use crate::bvh::Node;

/// A test of node pairs whose body is compiled once per instruction set.
pub trait LaneTest {
    /// How many pairs are tested at a time, at most.
    fn most_lanes(&self) -> usize;

    /// The portable body. Left alone, the compiler may keep numbers spread over registers;
    /// `SPREADS`: the instructions do so.
    fn test_lanes<const L: usize, const SPREADS: bool>(
        &self,
        nodes: [&[Node]; 2],
        pairs: &[[u32; 2]],
        out: &mut Vec<NextStep>,
    );
}

/// Runs the kernel at the width that suits the machine and the number of pairs.
pub fn dispatch(
    test: &impl LaneTest,
    nodes: [&[Node]; 2],
    pairs: &[[u32; 2]],
    out: &mut Vec<NextStep>,
) {
    #[cfg(target_arch = "x86_64")]
    {
        if test.most_lanes() >= 16 && std::arch::is_x86_feature_detected!("avx512vl") {
            // SAFETY: the instruction set was detected right above; whoever has it has avx512f.
            return unsafe { avx512(test, nodes, pairs, out) };
        }
        if test.most_lanes() >= 8 && std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the instruction set was detected right above.
            return unsafe { avx2(test, nodes, pairs, out) };
        }
    }
    // Four lanes are one register of every aarch64 and x86-64 machine.
    test.test_lanes::<4, false>(nodes, pairs, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl")]
fn avx512(test: &impl LaneTest, nodes: [&[Node]; 2], pairs: &[[u32; 2]], out: &mut Vec<NextStep>) {
    match pairs.len() {
        0..=4 => test.test_lanes::<4, true>(nodes, pairs, out),
        5..=8 => test.test_lanes::<8, true>(nodes, pairs, out),
        _ => test.test_lanes::<16, true>(nodes, pairs, out),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(test: &impl LaneTest, nodes: [&[Node]; 2], pairs: &[[u32; 2]], out: &mut Vec<NextStep>) {
    test.test_lanes::<8, false>(nodes, pairs, out);
}

/// Columns to rows.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn transposed(rows: [[f32; 4]; 4]) -> [[f32; 4]; 4] {
    use std::arch::x86_64::{
        __m128, _mm_movehl_ps, _mm_movelh_ps, _mm_unpackhi_ps, _mm_unpacklo_ps,
    };
    let [a, b, c, d] = rows.map(bytemuck::cast::<[f32; 4], __m128>);
    // SAFETY: SSE is part of x86-64.
    let columns = unsafe {
        let (ab, cd) = (_mm_unpacklo_ps(a, b), _mm_unpacklo_ps(c, d));
        let (ab_high, cd_high) = (_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d));
        [
            _mm_movelh_ps(ab, cd),
            _mm_movehl_ps(cd, ab),
            _mm_movelh_ps(ab_high, cd_high),
            _mm_movehl_ps(cd_high, ab_high),
        ]
    };
    columns.map(bytemuck::cast::<__m128, [f32; 4]>)
}

/// Columns to rows.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub fn transposed(rows: [[f32; 4]; 4]) -> [[f32; 4]; 4] {
    [0, 1, 2, 3].map(|k| rows.map(|row| row[k]))
}
