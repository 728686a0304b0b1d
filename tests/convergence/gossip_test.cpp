#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <numbers>
#include <vector>

#include "tests/convergence/learning_scenario.hpp"
#include "tests/rounding.hpp"
#include "workloads/learning/quadratic_task.hpp"

namespace starling {
namespace {

constexpr int side = 4;
constexpr int torus_workers = side * side;
constexpr double gossip_rate = 0.1;
constexpr std::int64_t gossip_iterations = 120;

std::shared_ptr<const QuadraticTask> heterogeneous_quadratic() {
  return std::make_shared<QuadraticTask>(QuadraticOptions{.dimension = 6,
                                                          .condition_number = 20,
                                                          .gradient_noise = 0,
                                                          .heterogeneity = 2,
                                                          .workers = torus_workers});
}

double wave(int numerator, int denominator) {
  return std::cos(2 * std::numbers::pi * numerator / denominator);
}

/// A graph of 16 workers, its averaging matrix's eigenvalues by Fourier mode (a, b) of a 4 × 4 torus or, of a
/// ring, mode 4a + b.
struct Graph {
  CommunicationGraphKind kind;
  std::function<double(int a, int b)> eigenvalue;
  bool is_torus = true;
};

// All neighbors and oneself weigh the same: 1/3 each, 1/5 each, 1/16 each.
const Graph ring{RingGraph{}, [](int a, int b) { return (1 + 2 * wave(side * a + b, torus_workers)) / 3; },
                 false};
const Graph torus{TorusGraph{.dimensions = {side, side}},
                  [](int a, int b) { return (1 + 2 * wave(a, side) + 2 * wave(b, side)) / 5; }};
const Graph complete{CompleteGraph{}, [](int a, int b) { return a == 0 && b == 0 ? 1.0 : 0.0; }};

double spectral_gap(const Graph& graph) {
  double largest = 0;
  for (int mode = 1; mode < torus_workers; ++mode)
    largest = std::max(largest, std::abs(graph.eigenvalue(mode / side, mode % side)));
  return 1 - largest;
}

/// |ĉ|² of the workers' optima of element k in a Fourier mode, with the unitary transform.
double power(const QuadraticTask& task, const Graph& graph, std::size_t k, int a, int b) {
  std::complex<double> sum = 0;
  for (int worker = 0; worker < torus_workers; ++worker) {
    const double turns = graph.is_torus
                             ? static_cast<double>(a * (worker / side) + b * (worker % side)) / side
                             : static_cast<double>((side * a + b) * worker) / torus_workers;
    sum += static_cast<double>(task.optimum(worker)[k]) * std::polar(1.0, 2 * std::numbers::pi * turns);
  }
  return std::norm(sum) / torus_workers;
}

/// The consensus distance of D-PSGD after t iterations, exactly.
///
/// x(t+1) = W x(t) − ηλ(x(t) − c) for every element, all workers beginning with equal models. In the mode of
/// W with eigenvalue μ ≠ 1 that is y(t+1) = ρ y(t) + ηλ ĉ from y(0) = 0, with ρ = μ − ηλ, hence y(t) = ηλ ĉ
/// (1 − ρᵗ) / (1 − ρ): it approaches its end at the rate ρ. The distance is Σ |y|² / P.
double dpsgd_distance(const QuadraticTask& task, const Graph& graph, std::int64_t t) {
  double sum = 0;
  for (std::size_t k = 0; k < task.curvatures().size(); ++k) {
    const double step = gossip_rate * static_cast<double>(task.curvatures()[k]);
    for (int mode = 1; mode < torus_workers; ++mode) {
      const double rho = graph.eigenvalue(mode / side, mode % side) - step;
      const double gain = step * (1 - std::pow(rho, t)) / (1 - rho);
      sum += gain * gain * power(task, graph, k, mode / side, mode % side);
    }
  }
  return sum / torus_workers;
}

TEST_CASE("D-PSGD's models come apart as far, and as fast, as the eigenvalues of its averaging matrix say") {
  const auto task = heterogeneous_quadratic();
  for (const Graph& graph : {ring, torus, complete}) {
    Scenario scenario = learning_scenario(torus_workers, task, gossip_rate, gossip_iterations);
    add_algorithm(scenario, DpsgdOptions{.mixing = {.graph = graph.kind}});
    const LearningResult learned = learn(scenario)[0];
    CAPTURE(spectral_gap(graph));
    REQUIRE(learned.rows.size() == gossip_iterations + 1);
    for (const auto& [time_s, record] : learned.rows) {
      CAPTURE(record.iterations);
      // Models of size 1 in single precision are off by 10⁻⁷, and their distances are of the order of 0.1 …
      // 1.
      if (record.iterations == 0)
        CHECK(record.consensus_distance == 0);
      else
        CHECK(record.consensus_distance == about(dpsgd_distance(*task, graph, record.iterations), 2e-5));
    }
  }
}

TEST_CASE("the mean of D-PSGD's models follows gradient descent, whatever the graph") {
  // Gradients are linear, so the mean gradient is the gradient at the mean model: x̄(t) = (1 − ηλ)ᵗ x̄(0).
  const auto task = heterogeneous_quadratic();
  const std::vector<float> start = task->initial_parameters();
  for (const Graph& graph : {ring, torus, complete}) {
    Scenario scenario = learning_scenario(torus_workers, task, gossip_rate, gossip_iterations);
    add_algorithm(scenario, DpsgdOptions{.mixing = {.graph = graph.kind}});
    const LearningResult learned = learn(scenario)[0];
    REQUIRE(learned.rows.size() == gossip_iterations + 1);
    for (const auto& [time_s, record] : learned.rows) {
      double expected = 0;
      for (std::size_t k = 0; k < start.size(); ++k) {
        const double curvature = task->curvatures()[k];
        const double x = start[k] * std::pow(1 - gossip_rate * curvature, record.iterations);
        expected += curvature * x * x / 2;
      }
      // Rounding of models of size 1 … 10 that average to numbers that go to 0: squares of 10⁻⁶, and their
      // product with the mean.
      CHECK(record.loss == about(expected, 1e-5));
    }
  }
}

/// The mean consensus distance of the second half of a run.
double settled_distance(const LearningResult& learned) {
  double sum = 0;
  const std::size_t half = learned.rows.size() / 2;
  for (std::size_t n = half; n < learned.rows.size(); ++n) sum += learned.rows[n].record.consensus_distance;
  return sum / static_cast<double>(learned.rows.size() - half);
}

TEST_CASE("the larger the spectral gap, the closer together do D-PSGD and AD-PSGD keep the models") {
  const auto task = heterogeneous_quadratic();
  // (2/3)(1 − cos 22.5°), 2/5, 1.
  REQUIRE(spectral_gap(ring) < 0.06);
  REQUIRE(spectral_gap(torus) == about(0.4));
  REQUIRE(spectral_gap(complete) == about(1));
  Scenario scenario = learning_scenario(torus_workers, task, gossip_rate, 400);
  scenario.imbalance = {RandomDelay{.workers = 2, .delay_s = 0.02}};
  for (const Graph& graph : {ring, torus, complete})
    add_algorithm(scenario, DpsgdOptions{.mixing = {.graph = graph.kind}});
  for (const Graph& graph : {ring, torus})
    add_algorithm(scenario, AdpsgdOptions{.mixing = MixingOptions{.graph = graph.kind}});
  const std::vector<LearningResult> learned = learn(scenario);
  const double dpsgd_ring = settled_distance(learned[0]);
  const double dpsgd_torus = settled_distance(learned[1]);
  const double dpsgd_complete = settled_distance(learned[2]);
  CHECK(dpsgd_ring > dpsgd_torus);
  CHECK(dpsgd_torus > dpsgd_complete);
  CHECK(settled_distance(learned[3]) > settled_distance(learned[4]));
  // A pair that meets half-way mixes less than an average over all neighbors.
  CHECK(settled_distance(learned[4]) > dpsgd_torus);
}

}  // namespace
}  // namespace starling
