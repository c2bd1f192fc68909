//! Chooses the widest instructions that the machine has, once per call.
//!
//! The only room with unsafe code: a function compiled for an instruction set may be called only where the set exists,
//! and that is checked right before.
#![allow(unsafe_code)]

use super::kernel::{Kernel, Next};
use crate::spheres::Node;

/// Runs the kernel at the width that suits the machine and the number of pairs.
pub fn dispatch(kernel: &Kernel, nodes: [&[Node]; 2], pairs: &[[u32; 2]], out: &mut Vec<Next>) {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512vl") {
            // SAFETY: the instruction set was detected right above; whoever has it has avx512f.
            return unsafe { avx512(kernel, nodes, pairs, out) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the instruction set was detected right above.
            return unsafe { avx2(kernel, nodes, pairs, out) };
        }
    }
    // Four lanes are one register of every aarch64 and x86-64 machine.
    kernel.test_lanes::<4, false>(nodes, pairs, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl")]
fn avx512(kernel: &Kernel, nodes: [&[Node]; 2], pairs: &[[u32; 2]], out: &mut Vec<Next>) {
    match pairs.len() {
        0..=4 => kernel.test_lanes::<4, true>(nodes, pairs, out),
        5..=8 => kernel.test_lanes::<8, true>(nodes, pairs, out),
        _ => kernel.test_lanes::<16, true>(nodes, pairs, out),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(kernel: &Kernel, nodes: [&[Node]; 2], pairs: &[[u32; 2]], out: &mut Vec<Next>) {
    kernel.test_lanes::<8, false>(nodes, pairs, out);
}
