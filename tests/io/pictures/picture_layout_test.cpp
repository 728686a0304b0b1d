#include "io/pictures/picture_layout.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/pictures/gnuplot.hpp"

namespace starling {
namespace {

constexpr PartSize small_part{.width_in = 2.5, .height_in = 2, .below_in = 0.7, .gap_in = 0.2};

/// The positions of all parts of a picture's head, from the left and from below, as shares of the picture.
std::vector<std::pair<double, double>> places_in(const std::string& script) {
  static const std::regex place("screen ([-0-9.e]+), screen ([-0-9.e]+)");
  std::vector<std::pair<double, double>> places;
  for (std::sregex_iterator it(script.begin(), script.end(), place), end; it != end; ++it)
    places.emplace_back(std::stod((*it)[1]), std::stod((*it)[2]));
  return places;
}

TEST_CASE("no two of 49 curves have both color and point in common") {
  std::set<std::pair<std::string, int>> looks;
  for (std::size_t i = 0; i < 49; ++i)
    looks.emplace(distinguishable_entry("", i).color, *distinguishable_entry("", i).point);
  CHECK(looks.size() == 49);
}

TEST_CASE("a logarithmic axis has several numbers however short it is, and not too many") {
  CHECK(logarithmic_marks(0.24, 2.6) == std::vector<double>{0.5, 1, 2});
  CHECK(logarithmic_marks(0.01, 1) == std::vector<double>{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1});
  CHECK(logarithmic_marks(0.3, 2e3) == std::vector<double>{1, 10, 100, 1000});
  CHECK(logarithmic_marks(0.3, 2e15) == std::vector<double>{1, 1e2, 1e4, 1e6, 1e8, 1e10, 1e12, 1e14});
}

TEST_CASE("a picture's key names all curves above the plots, however many there are") {
  for (const std::size_t count : {1U, 5U, 40U})
    for (const std::size_t parts : {1U, 2U, 4U}) {
      CAPTURE(count);
      CAPTURE(parts);
      std::vector<KeyEntry> entries;
      for (std::size_t i = 0; i < count; ++i)
        entries.push_back(distinguishable_entry("name " + std::to_string(i), i));
      entries.push_back({.name = std::string(100, 'm'), .dash = 2});
      const PictureLayout layout(parts, small_part, std::string(70, 'w') + " end", entries);
      const std::string head = layout.head();
      for (std::size_t i = 0; i < count; ++i)
        CHECK(head.find("set label 'name " + std::to_string(i) + "' at screen") != std::string::npos);
      CHECK(head.find("end' at screen") != std::string::npos);
      const std::string first = layout.place(0);
      const double top = std::stod(first.substr(first.find("tmargin at screen ") + 18));
      for (const auto& [right, up] : places_in(head)) {
        CHECK((right > 0 && right < 1));
        CHECK((up > top && up < 1));
      }
    }
}

TEST_CASE("a picture's key shows lines, points, areas and intervals as they are drawn") {
  const std::string head =
      PictureLayout(1, small_part, "",
                    {{.name = "line", .color = "#111111", .dash = 3},
                     {.name = "point", .color = "#222222", .point = 9, .point_size = 0.4},
                     {.name = "area", .color = "#333333", .fill = "pattern 4"},
                     {.name = "interval", .color = "#444444", .is_interval = true}})
          .head();
  CHECK(head.find("nohead lc rgb '#111111' dt 3") != std::string::npos);
  CHECK(head.find("point pt 9 ps 0.4 lc rgb '#222222'") != std::string::npos);
  CHECK(head.find("fc rgb '#333333' fs pattern 4 noborder") != std::string::npos);
  CHECK(head.find(",90 lc rgb '#444444'") != std::string::npos);
  CHECK(std::ranges::count(head, '\n') == 9);  // a sample and a name each
}

}  // namespace
}  // namespace starling
