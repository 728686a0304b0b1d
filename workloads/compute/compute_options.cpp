#include "workloads/compute/compute_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/options/option_kinds.hpp"

namespace starling {
namespace {

constexpr Precision precisions[] = {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16};

/// The precisions, divided into those that the GPU has units for and the others; all are usable if no GPU was
/// chosen yet.
Choices precisions_of(const Gpu& gpu) {
  Choices choices;
  for (const Precision precision : precisions) {
    const bool is_usable = gpu.name.empty() || gpu.peak_flops_per_s(precision).has_value();
    (is_usable ? choices.names : choices.unusable).emplace_back(name_of(precision));
  }
  choices.reason = fmt::format("{} has no units for this precision", gpu.name);
  return choices;
}

void describe_precision(RooflineTimes& roofline, OptionVisitor& visitor) {
  std::string name(name_of(roofline.precision));
  visitor.choice({"precision", "number format of the arithmetic"}, name, precisions_of(roofline.gpu));
  for (const Precision precision : precisions)
    if (name == name_of(precision)) roofline.precision = precision;
}

}  // namespace

void describe(TotalTimes& totals, OptionVisitor& visitor) {
  visitor.time(
      {.key = "forward",
       .meaning =
           "time of one forward pass, split over the layers in proportion to their floating-point operations",
       .is_needed = true},
      totals.forward_s);
  visitor.time(
      {.key = "backward", .meaning = "time of one backward pass, split in the same way", .is_needed = true},
      totals.backward_s);
}

void describe(Throughput& measured, OptionVisitor& visitor) {
  visitor.number(
      {.key = "throughput",
       .meaning = "samples per second of one worker alone, measured at the workload's batch size (another "
                  "batch size would have proportional times: give `batches` for it); a third of the time is "
                  "taken as the forward pass, and the update of `optimizer_rate` is added",
       .is_needed = true},
      measured.samples_per_s, {.least = 1e-6, .greatest = 1e9});
}

void describe(BatchTimes& batch, OptionVisitor& visitor) {
  visitor.integer({.key = "batch_size", .meaning = "batch size of the measurement", .is_needed = true},
                  batch.batch_size, {1, largest_batch_size});
  visitor.time({.key = "forward", .meaning = "time of one pass", .is_needed = true}, batch.forward_s);
  visitor.time({.key = "backward", .meaning = "time of one pass", .is_needed = true}, batch.backward_s);
}

void describe(MeasuredBatches& measured, OptionVisitor& visitor) {
  visitor.list(
      {.key = "batches",
       .meaning = "measurements of `batch_size`, `forward` and `backward`, by increasing batch size; other "
                  "batch sizes lie on the line through the two nearest, but below the smallest take at least "
                  "what follows from it alone, and beyond the largest at least its time; from a single one, "
                  "launches of kernels take constant time and the rest is proportional to the batch size",
       .is_needed = true},
      measured.batches, {.least = 1, .noun = "batch sizes"});
  const auto not_increasing = std::ranges::adjacent_find(
      measured.batches,
      [](const BatchTimes& one, const BatchTimes& next) { return one.batch_size >= next.batch_size; });
  visitor.require(not_increasing == measured.batches.end(), "batches", "batch sizes do not increase",
                  "each batch size once, in increasing order");
  visitor.time({.key = "launch_time",
                .meaning = "time to launch a kernel, whatever the batch size: a layer launches two kernels "
                           "forward and four backward, and in graphs of kernels about as much stays "
                           "constant; 0: all time is proportional to the batch size"},
               measured.launch_s);
}

void describe(ProfileOptions& profile, OptionVisitor& visitor) {
  visitor.text(
      {.key = "profile",
       .meaning = "a name of `starling list profiles`, or the path of a profile file (which contains `/` or "
                  "ends in `.json`), see below",
       .is_needed = true},
      profile.profile);
  visitor.number({"scale", "factor on all times of the profile"}, profile.scale,
                 {.least = 1e-6, .greatest = 1e6});
}

void describe(RooflineTimes& roofline, OptionVisitor& visitor) {
  Choices gpus{.names = {}, .noun = "GPU"};
  for (const Gpu& gpu : gpu_catalog()) gpus.names.push_back(gpu.name);
  std::string gpu = roofline.gpu.name;
  visitor.choice({.key = "gpu",
                  .meaning = "a layer takes the longer of its operations at `achieved_fraction` of the peak "
                             "rate and its parameters at the memory's bandwidth (a roofline; activations, "
                             "which are read and written too, are not counted)",
                  .is_needed = true},
                 gpu, gpus);
  if (const Gpu* found = find_gpu(gpu)) roofline.gpu = *found;
  describe_precision(roofline, visitor);
  visitor.number(
      {.key = "achieved_fraction",
       .meaning =
           "attained share of the peak rate; it has to be measured for a whole model, so it has no default",
       .is_needed = true},
      roofline.achieved_fraction, {.least = 1e-6, .greatest = 1});
  visitor.number({"backward_ratio", "ratio of backward to forward operations"}, roofline.backward_ratio,
                 {.least = 0, .greatest = 100});
}

std::string_view name_of(GradientDtype dtype) {
  constexpr std::array<std::string_view, 3> names = {"fp32", "bf16", "fp16"};
  return names[static_cast<std::size_t>(dtype)];
}

double bytes_of(GradientDtype dtype) { return dtype == GradientDtype::fp32 ? 4 : 2; }

GradientDtype default_gradient_dtype(const ComputeOptions& options) {
  const auto* roofline = std::get_if<RooflineTimes>(&options.form);
  if (roofline == nullptr) return GradientDtype::fp32;
  if (roofline->precision == Precision::bf16) return GradientDtype::bf16;
  return roofline->precision == Precision::fp16 ? GradientDtype::fp16 : GradientDtype::fp32;
}

bool can_give(const ComputeOptions& options, GradientDtype dtype) {
  const GradientDtype by_default = default_gradient_dtype(options);
  return by_default == GradientDtype::fp32 || dtype == GradientDtype::fp32 || dtype == by_default;
}

void describe(ComputeOptions& options, OptionVisitor& visitor) {
  visitor.choice({"kind",
                  "what computes in `starling native`: `emulated`: a timer in place of a GPU; `gemm`: a "
                  "thread of the rank that multiplies as many matrices (OpenBLAS) as an undisturbed core "
                  "does in the given times; simulations do not differ"},
                 options.kind, {{"emulated", ComputeKind::emulated}, {"gemm", ComputeKind::gemm}});
  Kinds forms = kinds_of(options.form, "ways of giving compute times");
  forms.key = "";
  forms.missing = "gives no compute times";
  forms.expected =
      "either \"forward\" and \"backward\", or \"throughput\", or \"batches\", or \"profile\", or \"gpu\" "
      "and \"achieved_fraction\"";
  visitor.kind(forms);
}

}  // namespace starling
