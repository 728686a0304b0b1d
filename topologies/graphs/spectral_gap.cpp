#include "topologies/graphs/spectral_gap.hpp"

#include <Spectra/GenEigsSolver.h>
#include <Spectra/SymEigsSolver.h>
#include <fmt/format.h>

#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "sim/random.hpp"

namespace starling {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

constexpr int largest_dense_workers = 256;

SparseMatrix weights_of(const MixingMatrix& matrix, int iteration) {
  const int workers = matrix.graph().workers();
  std::vector<Eigen::Triplet<double>> entries;
  for (Rank rank = 0; rank < workers; ++rank) {
    entries.emplace_back(rank, rank, matrix.own_weight(rank, iteration));
    for (const auto& [source, weight] : matrix.received_weights(rank, iteration)) {
      entries.emplace_back(rank, source, weight);
    }
  }
  SparseMatrix weights(workers, workers);
  weights.setFromTriplets(entries.begin(), entries.end());
  return weights;
}

/// The product M over a period as a chain of sparse matrices, in the order in which they are applied. All
/// columns sum to 1, so M maps vectors of sum 0 to vectors of sum 0; restricted to these, it lacks the
/// eigenvalue 1 of consensus.
class Product {
 public:
  Product(const MixingMatrix& matrix, bool is_transposed) {
    for (int iteration = 0; iteration < matrix.graph().period(); ++iteration) {
      factors_.push_back(weights_of(matrix, iteration));
    }
    if (!is_transposed) return;
    std::reverse(factors_.begin(), factors_.end());
    for (SparseMatrix& factor : factors_) factor = SparseMatrix(factor.transpose());
  }

  Eigen::Index workers() const { return factors_.front().rows(); }

  Vector apply(Vector vector) const {
    remove_mean(vector);
    for (const SparseMatrix& factor : factors_) vector = factor * vector;
    remove_mean(vector);
    return vector;
  }

  Vector apply_transposed(Vector vector) const {
    remove_mean(vector);
    for (auto factor = factors_.rbegin(); factor != factors_.rend(); ++factor) {
      vector = factor->transpose() * vector;
    }
    remove_mean(vector);
    return vector;
  }

  /// The matrix of M on vectors of sum 0.
  Eigen::MatrixXd dense() const {
    Eigen::MatrixXd product = Eigen::MatrixXd::Identity(workers(), workers());
    product.array() -= 1.0 / static_cast<double>(workers());
    for (const SparseMatrix& factor : factors_) product = factor * product;
    return product;
  }

 private:
  static void remove_mean(Vector& vector) { vector.array() -= vector.mean(); }

  std::vector<SparseMatrix> factors_;
};

/// MᵀM, whose largest eigenvalue is σ², with the interface that Spectra requires.
class NormalOperator {
 public:
  using Scalar = double;
  explicit NormalOperator(const Product& product) : product_(product) {}
  Eigen::Index rows() const { return product_.workers(); }
  Eigen::Index cols() const { return product_.workers(); }
  void perform_op(const double* in, double* out) const {
    const Vector vector = Eigen::Map<const Vector>(in, rows());
    Eigen::Map<Vector>(out, rows()) = product_.apply_transposed(product_.apply(vector));
  }

 private:
  const Product& product_;
};

/// M, with the same interface.
class ProductOperator {
 public:
  using Scalar = double;
  explicit ProductOperator(const Product& product) : product_(product) {}
  Eigen::Index rows() const { return product_.workers(); }
  Eigen::Index cols() const { return product_.workers(); }
  void perform_op(const double* in, double* out) const {
    Eigen::Map<Vector>(out, rows()) = product_.apply(Eigen::Map<const Vector>(in, rows()));
  }

 private:
  const Product& product_;
};

/// Whether M maps a random vector to nearly 0. Spectra cannot handle a zero matrix.
bool is_zero(const Product& product) {
  const CounterRandom random(0, Purpose::graph);
  Vector vector(product.workers());
  for (Eigen::Index index = 0; index < vector.size(); ++index) {
    vector[index] = random.uniform(static_cast<std::uint32_t>(index), 0);
  }
  return product.apply(vector).norm() < 1e-12 * vector.norm();
}

double dense_singular_value(const Product& product) {
  const Eigen::MatrixXd dense = product.dense();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(dense.transpose() * dense,
                                                              Eigen::EigenvaluesOnly);
  return std::sqrt(std::max(solver.eigenvalues().maxCoeff(), 0.0));
}

double dense_eigenvalue(const Product& product) {
  return product.dense().eigenvalues().cwiseAbs().maxCoeff();
}

/// The largest modulus of an eigenvalue of the solver's operator.
template <typename Solver>
double largest_eigenvalue(Solver& solver, Eigen::Index workers, int most_restarts) {
  // Bounds the residual; the error of the eigenvalue is far smaller.
  constexpr double tolerance = 1e-10;
  solver.init();
  solver.compute(Spectra::SortRule::LargestMagn, most_restarts, tolerance);
  if (solver.info() != Spectra::CompInfo::Successful) {
    throw std::runtime_error(fmt::format(
        "spectral gap: no convergence after {} restarts for {} workers; its gap is too small for this method",
        most_restarts, workers));
  }
  return std::abs(solver.eigenvalues()[0]);
}

double iterative_singular_value(const Product& product, int most_restarts) {
  if (is_zero(product)) return 0;
  NormalOperator normal(product);
  const Eigen::Index basis = std::min<Eigen::Index>(product.workers(), 100);
  Spectra::SymEigsSolver<NormalOperator> solver(normal, 1, basis);
  return std::sqrt(largest_eigenvalue(solver, product.workers(), most_restarts));
}

double iterative_eigenvalue(const Product& product, int most_restarts) {
  if (is_zero(product)) return 0;
  ProductOperator itself(product);
  const Eigen::Index basis = std::min<Eigen::Index>(product.workers(), 100);
  // Two eigenvalues, as the largest may be a conjugate pair.
  Spectra::GenEigsSolver<ProductOperator> solver(itself, 2, basis);
  return largest_eigenvalue(solver, product.workers(), most_restarts);
}

/// Whether some iteration averages over all workers at once.
bool has_complete_average(const MixingMatrix& matrix) {
  const CommunicationGraph& graph = matrix.graph();
  if (!graph.is_grouped() || matrix.rule() == MixingRule::given) return false;
  for (int iteration = 0; iteration < graph.period(); ++iteration) {
    if (graph.in_degree(0, iteration) == graph.workers() - 1) return true;
  }
  return false;
}

}  // namespace

double spectral_gap(const MixingMatrix& matrix, SpectralMethod method, int most_restarts) {
  if (has_complete_average(matrix)) return 1;
  check_weight_count(matrix.graph());
  const bool has_columns = !stochastic_problem(matrix, Stochastic::columns);
  const bool is_doubly = has_columns && !stochastic_problem(matrix, Stochastic::rows);
  if (!has_columns) check_stochastic(matrix, Stochastic::rows);

  const Product product(matrix, !has_columns);
  const int workers = matrix.graph().workers();
  const bool is_dense = method == SpectralMethod::dense ||
                        (method == SpectralMethod::automatic && workers <= largest_dense_workers);
  double shrinkage = 0;
  if (is_doubly) {
    shrinkage = is_dense ? dense_singular_value(product) : iterative_singular_value(product, most_restarts);
  } else {
    shrinkage = is_dense ? dense_eigenvalue(product) : iterative_eigenvalue(product, most_restarts);
  }
  return std::clamp(1 - shrinkage, 0.0, 1.0);
}

double spectral_gap_per_iteration(double gap_per_period, int period) {
  return period == 1 ? gap_per_period : 1 - std::pow(1 - gap_per_period, 1.0 / period);
}

}  // namespace starling
