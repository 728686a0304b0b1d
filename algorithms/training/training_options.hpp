#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/option_warning.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "algorithms/training/shared/training_traits.hpp"
#include "base/options/option_visitor.hpp"
#include "topologies/graphs/mixing_matrix.hpp"

namespace starling {

/// The requirements on a training algorithm. It is given by an options struct with
/// - `kind`, its name in scenarios;
/// - a constant `traits` of type TrainingTraits;
/// - `describe(Options&, OptionVisitor&)` in the namespace of the struct: describes every option, once;
/// - `make_algorithm(const Options&, const Workload&, const ClusterFacts&)`, likewise: works out all buckets
///   and schedules. It throws std::invalid_argument, with a message that begins with the kind, for options
///   that do not fit the cluster.
///
/// Each of the following members and functions must exist if the trait of that name is set, and must not
/// exist otherwise; anything else does not compile:
/// - `has_period`: `pattern_period(const Options&, const ClusterFacts&)`, the number of iterations after
///   which the pattern of who waits for whom repeats (1 without the trait);
/// - `has_averaging_period`: `model_averaging_period(const Options&)`, the number of iterations from one
///   average of all workers' models to the next; 0 if there is none (as without the trait);
/// - `has_mixing_matrix`: `mixing_matrix_of(const Options&, const ClusterFacts&)`, the weights with which
///   models are averaged;
/// - `has_operation_cost`: a member `operation_cost_s`, the time of each operation beside its computing and
///   messages (0 without the trait);
/// - `has_overlap`: a member `overlap`, which is 0 or false where messages are not given the time of a whole
///   iteration to arrive;
/// - `has_option_warnings`: `option_warnings(const Options&, const OptionConditions&)`, warnings about
///   options that were changed from their defaults and have no effect in such a run (none without the trait);
/// - `uses_collective`: a member `collective`. Without the trait, the key of that name is accepted and has no
///   effect.
template <typename Options>
concept AlgorithmOptions = std::copyable<Options> &&
    requires(Options options, OptionVisitor& visitor, const Workload& workload, const ClusterFacts& facts) {
  { options.kind } -> std::convertible_to<std::string_view>;
  { Options::traits } -> std::convertible_to<TrainingTraits>;
  describe(options, visitor);
  {
    make_algorithm(std::as_const(options), workload, facts)
    } -> std::convertible_to<std::unique_ptr<TrainingAlgorithm>>;
};

namespace detail {

struct AnyAlgorithm {
  virtual ~AnyAlgorithm() = default;
  virtual std::unique_ptr<AnyAlgorithm> clone() const = 0;
  virtual std::unique_ptr<AnyAlgorithm> without_operation_cost() const = 0;
  virtual std::unique_ptr<AnyAlgorithm> without_overlap() const = 0;
  virtual std::string_view kind() const = 0;
  virtual void describe_options(OptionVisitor& visitor) = 0;
  virtual TrainingTraits traits() const = 0;
  virtual std::int64_t period(const ClusterFacts& facts) const = 0;
  virtual std::int64_t averaging_period() const = 0;
  virtual std::optional<MixingMatrix> matrix(const ClusterFacts& facts) const = 0;
  virtual std::vector<OptionWarning> warnings(const OptionConditions& conditions) const = 0;
  virtual std::unique_ptr<TrainingAlgorithm> make(const Workload& workload,
                                                  const ClusterFacts& facts) const = 0;
};

template <typename Options>
struct AlgorithmModel final : AnyAlgorithm {
  // A function that is misspelled, or declared after this template is instantiated, would count as missing.
  static_assert(
      Options::traits.has_period ==
          requires(const Options& given, const ClusterFacts& facts) { pattern_period(given, facts); },
      "traits.has_period and pattern_period(options, facts) go together");
  static_assert(
      Options::traits.has_averaging_period ==
          requires(const Options& given) { model_averaging_period(given); },
      "traits.has_averaging_period and model_averaging_period(options) go together");
  static_assert(
      Options::traits.has_mixing_matrix ==
          requires(const Options& given, const ClusterFacts& facts) { mixing_matrix_of(given, facts); },
      "traits.has_mixing_matrix and mixing_matrix_of(options, facts) go together");
  static_assert(
      Options::traits.has_operation_cost == requires(Options given) { given.operation_cost_s; },
      "traits.has_operation_cost and a member operation_cost_s go together");
  static_assert(
      Options::traits.has_overlap == requires(Options given) { given.overlap; },
      "traits.has_overlap and a member overlap go together");
  static_assert(
      Options::traits.has_option_warnings ==
          requires(const Options& given, const OptionConditions& conditions) {
            option_warnings(given, conditions);
          },
      "traits.has_option_warnings and option_warnings(options, conditions) go together");
  static_assert(
      Options::traits.uses_collective == requires(Options given) { given.collective; },
      "traits.uses_collective and a member collective go together");

  explicit AlgorithmModel(Options given) : options(std::move(given)) {}

  std::unique_ptr<AnyAlgorithm> clone() const override { return std::make_unique<AlgorithmModel>(options); }
  std::unique_ptr<AnyAlgorithm> without_operation_cost() const override {
    Options free = options;
    if constexpr (Options::traits.has_operation_cost) free.operation_cost_s = 0;
    return std::make_unique<AlgorithmModel>(std::move(free));
  }
  std::unique_ptr<AnyAlgorithm> without_overlap() const override {
    Options bare = options;
    if constexpr (Options::traits.has_overlap) bare.overlap = {};
    return std::make_unique<AlgorithmModel>(std::move(bare));
  }
  std::string_view kind() const override { return options.kind; }
  void describe_options(OptionVisitor& visitor) override {
    if constexpr (!Options::traits.uses_collective)
      visitor.unused(
          {"collective", fmt::format("{} uses no collective, so this has no effect", options.kind)});
    describe(options, visitor);
  }
  TrainingTraits traits() const override { return Options::traits; }
  std::int64_t period(const ClusterFacts& facts) const override {
    if constexpr (Options::traits.has_period) return pattern_period(options, facts);
    return 1;
  }
  std::int64_t averaging_period() const override {
    if constexpr (Options::traits.has_averaging_period) return model_averaging_period(options);
    return 0;
  }
  std::optional<MixingMatrix> matrix(const ClusterFacts& facts) const override {
    if constexpr (Options::traits.has_mixing_matrix) return mixing_matrix_of(options, facts);
    return std::nullopt;
  }
  std::vector<OptionWarning> warnings(const OptionConditions& conditions) const override {
    if constexpr (Options::traits.has_option_warnings) return option_warnings(options, conditions);
    return {};
  }
  std::unique_ptr<TrainingAlgorithm> make(const Workload& workload,
                                          const ClusterFacts& facts) const override {
    return make_algorithm(options, workload, facts);
  }

  Options options;
};

}  // namespace detail

/// The options of one training algorithm of any kind (type-erased), from which the algorithm can be made.
class TrainingOptions {
 public:
  template <typename Options>
  requires(!std::same_as<Options, TrainingOptions> && AlgorithmOptions<Options>)
      TrainingOptions(Options options)
      : model_(std::make_unique<detail::AlgorithmModel<Options>>(std::move(options))) {}
  TrainingOptions(const TrainingOptions& other) : model_(other.model_->clone()) {}
  TrainingOptions(TrainingOptions&&) = default;
  TrainingOptions& operator=(TrainingOptions other) {
    model_ = std::move(other.model_);
    return *this;
  }
  ~TrainingOptions() = default;

  /// A copy with an operation cost of 0: operations take only the time of their computing and messages.
  TrainingOptions without_operation_cost() const { return TrainingOptions(model_->without_operation_cost()); }
  /// A copy with the option `overlap` off; an equal copy if the algorithm has no such option.
  TrainingOptions without_overlap() const { return TrainingOptions(model_->without_overlap()); }

  std::string_view kind() const { return model_->kind(); }
  void describe_options(OptionVisitor& visitor) { model_->describe_options(visitor); }
  TrainingTraits traits() const { return model_->traits(); }
  std::int64_t pattern_period(const ClusterFacts& facts) const { return model_->period(facts); }
  /// The number of iterations from one average of all models to the next; 0: they are never all averaged.
  std::int64_t model_averaging_period() const { return model_->averaging_period(); }
  /// The weights with which models are averaged; nullopt if they are not averaged over a graph.
  std::optional<MixingMatrix> mixing_matrix(const ClusterFacts& facts) const { return model_->matrix(facts); }
  /// Warnings about options that were changed from their defaults and have no effect in such a run.
  std::vector<OptionWarning> warnings(const OptionConditions& conditions) const {
    return model_->warnings(conditions);
  }
  /// Makes the algorithm without checking the values of the options, which make_training_algorithm() does.
  /// The workload must outlive the algorithm.
  std::unique_ptr<TrainingAlgorithm> make(const Workload& workload, const ClusterFacts& facts) const {
    return model_->make(workload, facts);
  }

  /// The options as `Options`; null if they are of another type.
  template <typename Options>
  const Options* get_if() const {
    const auto* model = dynamic_cast<const detail::AlgorithmModel<Options>*>(model_.get());
    return model == nullptr ? nullptr : &model->options;
  }

 private:
  explicit TrainingOptions(std::unique_ptr<detail::AnyAlgorithm> model) : model_(std::move(model)) {}

  std::unique_ptr<detail::AnyAlgorithm> model_;
};

}  // namespace starling
