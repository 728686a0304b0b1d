#include "scenarios/importing/astra_sim_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/options/range.hpp"
#include "io/scenario_error.hpp"
#include "io/texts/shown_text.hpp"
#include "io/texts/text_table.hpp"
#include "scenarios/importing/word_reader.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 5> collectives = {"NONE", "ALLREDUCE", "ALLGATHER", "REDUCESCATTER",
                                                         "ALLTOALL"};
constexpr std::int64_t bytes_per_element = 4;
constexpr std::int64_t most_bytes = bytes_per_element << 46;  // of a model
constexpr double most_ns = 1e17;                              // of a pass, as a profile may have

/// A pass of a layer: the time that it computes, and the collective that follows.
struct Pass {
  double compute_s = 0;
  std::string collective;
  std::int64_t bytes = 0;

  bool communicates() const { return collective != "NONE" && bytes > 0; }
};

struct ForeignLayer {
  std::string name;
  Pass forward;
  Pass input_gradients;
  Pass weight_gradients;
  double update_ns = 0;
  bool has_more = false;  // more words on its line, which are ignored

  /// A REDUCESCATTER is the first half of an all-reduce, which an ALLGATHER completes.
  bool averages_gradients() const {
    return weight_gradients.communicates() &&
           (weight_gradients.collective == "ALLREDUCE" || weight_gradients.collective == "REDUCESCATTER");
  }
};

/// The next word, a known collective, perhaps followed by the group of workers that take part: "ALLTOALL_EP".
std::string read_collective(WordReader& words) {
  const std::string_view word = words.word("a collective");
  const std::string_view name = word.substr(0, word.find('_'));
  if (std::ranges::find(collectives, name) == collectives.end())
    words.fail("unknown collective", fmt::format("one of {}", fmt::join(collectives, ", ")));
  return std::string(word);
}

Pass read_pass(WordReader& words) {
  constexpr double ns_per_s = 1e9;
  Pass pass;
  pass.compute_s = words.number("a compute time", {.least = 0, .greatest = most_ns}) / ns_per_s;
  pass.collective = read_collective(words);
  pass.bytes = words.integer("the size of a collective in bytes", {0, most_bytes});
  return pass;
}

ForeignLayer read_layer(WordReader& words, std::int64_t layers) {
  ForeignLayer layer;
  layer.name = printable(words.word("the name of a layer"));
  words.integer("the dependency of a layer", {-1, layers});
  layer.forward = read_pass(words);
  layer.input_gradients = read_pass(words);
  layer.weight_gradients = read_pass(words);
  layer.update_ns = words.number("the time of an update", {.least = 0, .greatest = 1e18});
  layer.has_more = !words.rest_of_line().empty();
  return layer;
}

struct ForeignWorkload {
  std::string parallelism;  // the first line
  std::vector<ForeignLayer> layers;
};

ForeignWorkload read_workload(const ForeignFile& file) {
  WordReader words(file.text, file.path);
  ForeignWorkload workload{.parallelism = std::string(words.word("the kind of parallelism")), .layers = {}};
  if (const std::string_view more = words.rest_of_line(); !more.empty())
    workload.parallelism += fmt::format(" {}", more);
  const std::int64_t count = words.integer("the number of layers", {1, 1'000'000});
  words.rest_of_line();
  std::vector<ForeignLayer>& layers = workload.layers;
  std::map<std::string, int> of_name;
  for (std::int64_t i = 0; i < count; ++i) {
    layers.push_back(read_layer(words, count));
    std::string& name = layers.back().name;
    if (const int number = ++of_name[name]; number > 1) name += fmt::format("#{}", number);
  }
  words.expect_end(fmt::format("{} layers, as the second line says", count));
  return workload;
}

Json model_of(const ForeignFile& file, const std::vector<ForeignLayer>& layers) {
  Json list = Json::array();
  for (const ForeignLayer& layer : layers) {
    Json tensors = Json::array();
    if (layer.averages_gradients())
      tensors.push_back(
          {{"name", layer.name},
           {"elements", (layer.weight_gradients.bytes + bytes_per_element - 1) / bytes_per_element}});
    list.push_back({{"name", layer.name}, {"tensors", std::move(tensors)}, {"forward_flops_per_sample", 0}});
  }
  return {{"name", file.name}, {"source", file.path}, {"layers", std::move(list)}};
}

Json profile_of(const ForeignFile& file, const std::vector<ForeignLayer>& layers, int batch_size) {
  Json list = Json::array();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    double backward_s = layers[i].weight_gradients.compute_s;
    if (i + 1 < layers.size()) backward_s += layers[i + 1].input_gradients.compute_s;
    list.push_back(
        {{"name", layers[i].name}, {"forward", layers[i].forward.compute_s}, {"backward", backward_s}});
  }
  return {
      {"model", file.name}, {"batch_size", batch_size}, {"source", file.path}, {"layers", std::move(list)}};
}

/// Adds a note about the communication of this pass that is left out, if there is any.
void note_left_out(const std::vector<ForeignLayer>& layers, std::string_view what,
                   const Pass ForeignLayer::*pass, std::vector<std::string>& notes) {
  int left_out = 0;
  double bytes = 0;
  for (const ForeignLayer& layer : layers) {
    const Pass& found = layer.*pass;
    if (!found.communicates() || (pass == &ForeignLayer::weight_gradients && layer.averages_gradients()))
      continue;
    ++left_out;
    bytes += static_cast<double>(found.bytes);
  }
  if (left_out > 0)
    notes.push_back(fmt::format("communication of {} layers for their {} is left out, {} in total", left_out,
                                what, bytes_text(bytes)));
}

std::vector<std::string> notes_about(const ForeignWorkload& workload, int batch_size) {
  const std::vector<ForeignLayer>& layers = workload.layers;
  std::vector<std::string> notes{fmt::format(
      "times in the file are taken as nanoseconds at a batch size of {}, as the file states neither",
      batch_size)};
  if (workload.parallelism != "DATA")
    notes.push_back(fmt::format(
        "\"{}\" is left out: only data parallelism is imported, in which workers average gradients",
        printable(workload.parallelism)));
  note_left_out(layers, "activations", &ForeignLayer::forward, notes);
  note_left_out(layers, "input gradients", &ForeignLayer::input_gradients, notes);
  note_left_out(layers, "weight gradients by other collectives than ALLREDUCE and REDUCESCATTER",
                &ForeignLayer::weight_gradients, notes);
  if (std::ranges::any_of(layers, [](const ForeignLayer& layer) { return layer.update_ns > 0; }))
    notes.push_back("times of updates are left out; workload.optimizer_rate determines them");
  if (std::ranges::any_of(layers, &ForeignLayer::has_more))
    notes.push_back("words after the times of updates are left out");
  if (std::ranges::any_of(layers, [](const ForeignLayer& layer) {
        return layer.averages_gradients() && layer.weight_gradients.bytes % bytes_per_element != 0;
      }))
    notes.push_back("gradients are rounded up to whole elements of 4 bytes");
  return notes;
}

void check(const ForeignFile& file, const std::vector<ForeignLayer>& layers) {
  std::int64_t bytes = 0;
  for (const ForeignLayer& layer : layers) {
    if (layer.averages_gradients()) bytes += layer.weight_gradients.bytes;
    if (bytes > most_bytes)
      throw ScenarioError({file.path, "", "the model has too many parameters", "",
                           fmt::format("gradients of at most {} bytes in all", most_bytes)});
  }
  if (bytes == 0)
    throw ScenarioError({file.path, "", "no layer has gradients that workers average", "",
                         "weight gradients with ALLREDUCE or REDUCESCATTER"});
}

}  // namespace

Imported import_astra_sim_workload(const ForeignFile& file, int batch_size) {
  const ForeignWorkload workload = read_workload(file);
  const std::vector<ForeignLayer>& layers = workload.layers;
  check(file, layers);
  const std::string model_file = file.name + ".model.json";
  const std::string profile_file = file.name + ".profile.json";
  return {
      .key = "workload",
      .value = {{"model", model_file},
                {"batch_size", batch_size},
                {"compute", {{"profile", profile_file}}},
                {"gradient_dtype", "fp32"}},
      .files = {{model_file, model_of(file, layers)}, {profile_file, profile_of(file, layers, batch_size)}},
      .notes = notes_about(workload, batch_size)};
}

}  // namespace starling
