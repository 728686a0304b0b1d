#include "io/kept/kept_lines.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

#include "base/readable_file.hpp"

namespace starling {

KeptLines::KeptLines(const std::optional<std::filesystem::path>& file) {
  if (!file) return;
  const bool is_whole = read(*file);
  lines_ = OutputFile::appending(*file);
  if (!is_whole) lines_->write("\n");
}

/// Reads the file. False if its last line is incomplete.
bool KeptLines::read(const std::filesystem::path& file) {
  bool is_whole = true;
  if (!std::filesystem::exists(file)) return is_whole;
  if (const std::string problem = why_not_readable(file); !problem.empty())
    throw std::runtime_error(fmt::format("{}: this {}; expected a file", file.string(), problem));
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    is_whole = !lines.eof();
    try {
      const nlohmann::json document = nlohmann::json::parse(line);
      found_[document.at("key").get<std::string>()] = document.at("found");
    } catch (const nlohmann::json::exception&) {
      continue;
    }
  }
  return is_whole;
}

nlohmann::json KeptLines::find(const std::string& key) const {
  const auto found = found_.find(key);
  return found == found_.end() ? nlohmann::json() : found->second;
}

void KeptLines::keep(const std::string& key, const nlohmann::json& found) {
  if (!lines_) return;
  const std::string line = nlohmann::json{{"key", key}, {"found", found}}.dump() + "\n";
  const std::lock_guard lock(mutex_);
  lines_->write(line);
  lines_->flush();
}

}  // namespace starling
