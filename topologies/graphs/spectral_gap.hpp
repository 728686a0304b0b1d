#pragma once

#include "topologies/graphs/mixing_matrix.hpp"

namespace starling {

/// How a spectral gap is computed. Both methods agree to about 1e-9.
enum class SpectralMethod {
  /// dense for up to 256 workers, otherwise iterative.
  automatic,
  /// All eigenvalues of the dense matrix (Eigen): O(P³) time and O(P²) memory.
  dense,
  /// The largest eigenvalue by Lanczos or Arnoldi iteration on the sparse matrices (Spectra): a few hundred
  /// times the edges of a period if the gap is large, more if it is small.
  iterative,
};

/// The spectral gap of averaging over one period: 1 − σ, between 0 (models do not approach each other) and 1
/// (all equal after one period).
///
/// Let M = W(T−1) … W(0) be the product over the graph's period T. If the matrices are doubly stochastic, σ
/// is the second largest singular value of M, which is the norm of M − 11ᵀ/P: every period, from the first
/// on, multiplies the distance of the models from their mean by at most σ. The second largest modulus of an
/// eigenvalue would give the asymptotic rate only; for symmetric and circulant W (ring, torus, exponential)
/// with T = 1 the two are equal. If only columns or only rows sum to 1, there is no such bound for a single
/// period, and σ is the second largest modulus of an eigenvalue of M.
///
/// Reference: Koloskova, Loizou, Boreiri, Jaggi, Stich, "A unified theory of decentralized SGD with changing
/// topology and local updates", ICML 2020, Assumption 4 (its p is 1 − σ²).
///
/// @throws std::invalid_argument if neither the rows nor the columns sum to 1 or a weight is negative, or if
/// an iteration has more than 2²⁶ weights (except that complete graphs have gap 1 at any size).
/// @throws std::runtime_error if the iterative method does not converge after `most_restarts` restarts of 100
/// steps, as on rings of far more than 10⁴ workers.
double spectral_gap(const MixingMatrix& matrix, SpectralMethod method = SpectralMethod::automatic,
                    int most_restarts = 100);

/// The most workers for which results include spectral gaps. The slowest, that of a ring, then takes a second
/// at most.
inline constexpr int most_workers_with_spectral_gap = 4096;

/// The gap per iteration, 1 − σ^(1/T): if every iteration had this gap, the period would have spectral_gap().
///
/// Both numbers rank graphs of the same period alike, and neither ranks graphs of different periods, because
/// models also differ within a period. A one-peer exponential graph of 2^k workers has gap 1, as it averages
/// exactly in k iterations, and yet it keeps models farther apart than the exponential graph, whose gap is
/// 2/(k + 1).
double spectral_gap_per_iteration(double gap_per_period, int period);

}  // namespace starling
