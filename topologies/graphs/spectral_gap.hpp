#pragma once

#include "topologies/graphs/mixing_matrix.hpp"

namespace starling {

/// How a spectral gap is computed. Both give the same to about 1e-9.
enum class SpectralMethod {
  /// dense up to 256 workers, else iterative.
  automatic,
  /// All eigenvalues of the whole matrix (Eigen): O(P³) time and O(P²) memory.
  dense,
  /// The largest one by Lanczos or Arnoldi steps with the sparse matrices (Spectra): a few hundred times the
  /// edges of a period where the gap is large, more where it is small.
  iterative,
};

/// How far averaging brings the models together in one period: 1 − σ, between 0 (never) and 1 (all equal
/// after one period).
///
/// Let M = W(T−1) … W(0) be the product over the graph's period T. Where the matrices are doubly stochastic,
/// σ is the second largest singular value of M, the norm of M − 11ᵀ/P: the distance of the models from their
/// mean shrinks at least by σ in every period, from the first one on. The second largest modulus of an
/// eigenvalue would tell the rate in the long run only; for symmetric W and for circulant ones (ring, torus,
/// exponential), with T = 1, it is the same number. Where only columns or only rows sum to 1, models do not
/// approach the mean at once, and σ is the second largest modulus of an eigenvalue of M.
///
/// Reference: Koloskova, Loizou, Boreiri, Jaggi, Stich, "A unified theory of decentralized SGD with changing
/// topology and local updates", ICML 2020, Assumption 4 (its p is 1 − σ²).
///
/// @throws std::invalid_argument if neither the rows nor the columns sum to 1 or a weight is negative, or if
/// an iteration has more than 2²⁶ weights (complete graphs have the gap 1 at any size).
/// @throws std::runtime_error if the iterative method does not converge after `most_restarts` restarts of 100
/// steps, as on rings of far more than 10⁴ workers.
double spectral_gap(const MixingMatrix& matrix, SpectralMethod method = SpectralMethod::automatic,
                    int most_restarts = 100);

/// Up to so many workers results tell spectral gaps: there one takes a second at the most, that of a ring.
inline constexpr int most_workers_with_spectral_gap = 4096;

/// The mean over the iterations of a period, 1 − σ^(1/T): if every iteration brought the models together by
/// this much, the period would by spectral_gap().
///
/// Graphs of one period are ordered by either number; graphs of different periods by neither: models are
/// apart inside a period, too. A one-peer exponential graph of 2^k workers has 1, as it averages exactly in k
/// iterations, and yet it keeps models farther apart than the exponential graph, whose gap is 2/(k + 1).
double spectral_gap_per_iteration(double gap_per_period, int period);

}  // namespace starling
