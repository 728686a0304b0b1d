#include "workloads/compute/compute_options.hpp"

#include <fmt/format.h>

#include "base/option_kinds.hpp"

namespace starling {
namespace {

/// What of these precisions the GPU has units for; all if there is no GPU yet.
Choices precisions_of(const Gpu& gpu) {
  Choices choices;
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16}) {
    const bool is_usable = gpu.name.empty() || gpu.peak_flops_per_s(precision).has_value();
    (is_usable ? choices.names : choices.unusable).emplace_back(name_of(precision));
  }
  choices.reason = fmt::format("{} has no units for this precision", gpu.name);
  return choices;
}

void describe_precision(RooflineTimes& roofline, OptionVisitor& visitor) {
  std::string name(name_of(roofline.precision));
  visitor.choice({"precision", "what the arithmetic is done in"}, name, precisions_of(roofline.gpu));
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16})
    if (name == name_of(precision)) roofline.precision = precision;
}

}  // namespace

void describe(TotalTimes& totals, OptionVisitor& visitor) {
  visitor.time({.key = "forward",
                .meaning = "of one iteration, split over the layers by their floating-point work",
                .is_needed = true},
               totals.forward_s);
  visitor.time({.key = "backward", .meaning = "of one iteration, split alike", .is_needed = true},
               totals.backward_s);
}

void describe(ProfileOptions& profile, OptionVisitor& visitor) {
  visitor.file({.key = "profile", .meaning = "a profile file, see below", .is_needed = true}, profile.file);
}

void describe(RooflineTimes& roofline, OptionVisitor& visitor) {
  Choices gpus{.names = {}, .noun = "GPU"};
  for (const Gpu& gpu : gpu_catalog()) gpus.names.push_back(gpu.name);
  std::string gpu = roofline.gpu.name;
  visitor.choice({.key = "gpu",
                  .meaning = "a layer takes the longer of its operations at `achieved_fraction` of the peak "
                             "rate and its parameters at the memory's bandwidth (a roofline)",
                  .is_needed = true},
                 gpu, gpus);
  if (const Gpu* found = find_gpu(gpu)) roofline.gpu = *found;
  describe_precision(roofline, visitor);
  visitor.number(
      {.key = "achieved_fraction",
       .meaning = "of the peak rate; it has to be measured for a whole model, so it has no default",
       .is_needed = true},
      roofline.achieved_fraction, {.least = 1e-6, .greatest = 1});
  visitor.number({"backward_ratio", "backward over forward operations"}, roofline.backward_ratio,
                 {.least = 0, .greatest = 100});
}

void describe(ComputeOptions& options, OptionVisitor& visitor) {
  visitor.choice(
      {"kind",
       "who computes in `starling native`: a timer in place of a GPU, or a thread of the rank that "
       "multiplies matrices (OpenBLAS) for as long as an undisturbed core takes for the times given; "
       "simulations do not differ"},
      options.kind, {{"emulated", ComputeKind::emulated}, {"gemm", ComputeKind::gemm}});
  Kinds forms = kinds_of(options.form, "ways of giving compute times");
  forms.key = "";
  forms.missing = "gives no compute times";
  forms.expected =
      "either \"forward\" and \"backward\", or \"profile\", or \"gpu\" and \"achieved_fraction\"";
  visitor.kind(forms);
}

}  // namespace starling
