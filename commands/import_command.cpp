#include "commands/import_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "base/texts/near_key.hpp"
#include "commands/shared/output_place.hpp"
#include "io/json/json_text.hpp"
#include "io/output_file.hpp"
#include "io/terminal/terminal.hpp"
#include "io/texts/shown_text.hpp"
#include "scenarios/importing/import_formats.hpp"
#include "scenarios/reading/cluster_reader.hpp"

namespace starling {
namespace {

const ImportFormat& format_of(const std::string& name) {
  const std::span<const ImportFormat> formats = import_formats();
  const auto found = std::ranges::find(formats, name, &ImportFormat::name);
  if (found != formats.end()) return *found;
  std::vector<std::string> names;
  for (const ImportFormat& format : formats) names.emplace_back(format.name);
  throw UsageError(fmt::format("there is no format \"{}\"{}; there are {}", name, suggestion(name, names),
                               fmt::join(names, ", ")));
}

ForeignFile read_foreign(const std::filesystem::path& file) {
  if (file == "-") return {.path = name_of_stdin, .text = read_text_of_stdin(), .name = "imported"};
  return {.path = printable(file.string()),
          .text = read_text_file(file),
          .name = printable(file.stem().string())};
}

/// Reads the imported cluster, so that values that no scenario may have are reported at once.
void check_cluster(const ForeignFile& file, const Imported& imported) {
  const nlohmann::json cluster = imported.value;
  std::vector<std::string> warnings;
  read_cluster(JsonPlace(cluster, file.path + ", imported"), warnings);
}

void write_files(const Imported& imported, const std::filesystem::path& folder) {
  for (const Imported::File& file : imported.files)
    if (std::filesystem::exists(folder / file.name))
      throw UsageError(fmt::format("--out: {} already exists and is not replaced; give another folder",
                                   (folder / file.name).string()));
  make_output_folder(folder);
  for (const Imported::File& file : imported.files)
    write_once(folder / file.name, file.content.dump(1) + "\n");
}

}  // namespace

void add_import(CommandLine& line) {
  const auto arguments = std::make_shared<ImportArguments>();
  Command import = line.add_command("import", "Convert another simulator's file into a part of a scenario");
  std::string meaning = "Format of the file:";
  for (const ImportFormat& format : import_formats())
    meaning += fmt::format("\n  {}: {}", format.name, format.summary);
  import.add_required_word("FORMAT", &arguments->format, meaning);
  import.add_required_word("FILE", &arguments->file, "- for stdin");
  import.add_option("--out", "DIR", &arguments->out,
                    "Folder for the files that an imported workload names; put it beside the scenario");
  import.add_option("--batch-size", "N", &arguments->batch_size,
                    "For a workload: samples per worker and iteration (default: 1)");
  import.set_footer(
      "Prints the \"cluster\" or \"workload\" of a scenario; a scenario can also name a cluster by "
      "\"file\".\n"
      "Networks in GraphML, node-link JSON and SimGrid's XML need no import: {\"kind\": \"file\"}.\n"
      "Examples:\n"
      "  starling import simai-topology Spectrum-X_128g_8gps_400Gbps_H100 > cluster.json\n"
      "  starling import astra-sim-workload Resnet50_DataParallel.txt --batch-size 32 --out .");
  import.does(arguments, import_command);
}

void import_command(const ImportArguments& arguments) {
  const ImportFormat& format = format_of(arguments.format);
  constexpr int most_samples = 1 << 24;
  if (arguments.batch_size && (*arguments.batch_size < 1 || *arguments.batch_size > most_samples))
    throw UsageError(
        fmt::format("--batch-size: {} is out of range; give 1 to {}", *arguments.batch_size, most_samples));
  const ForeignFile file = read_foreign(arguments.file);
  const Imported imported = format.read(file, arguments.batch_size.value_or(1));
  const bool is_cluster = imported.key == "cluster";
  if (is_cluster && (arguments.out || arguments.batch_size))
    throw UsageError("--out and --batch-size are for workloads only; a network is printed completely");
  if (!imported.files.empty() && !arguments.out)
    throw UsageError(
        fmt::format("--out is missing: a workload also consists of {} files; give a folder for them",
                    imported.files.size()));
  if (is_cluster) check_cluster(file, imported);
  for (const std::string& note : imported.notes) warn(note);
  if (arguments.out) write_files(imported, *arguments.out);
  print_json(nlohmann::ordered_json{{imported.key, imported.value}}.dump(2) + "\n");
}

}  // namespace starling
