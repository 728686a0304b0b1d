#include "analysis/regimes/regime_picture.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <vector>

#include "io/pictures/gnuplot.hpp"

namespace starling {
namespace {

constexpr double map_in = 3.4;
constexpr double key_in = 2.2;
constexpr double height_in = 3.6;

/// Between the values of an axis, and beyond its ends half a step.
std::vector<double> edges(const std::vector<double>& values) {
  if (values.size() == 1) return {values[0] - 0.5, values[0] + 0.5};
  std::vector<double> result{values[0] - (values[1] - values[0]) / 2};
  for (std::size_t i = 1; i < values.size(); ++i) result.push_back((values[i - 1] + values[i]) / 2);
  result.push_back(values.back() + (values.back() - result.back()));
  return result;
}

std::vector<double> logarithms(std::vector<double> values) {
  for (double& value : values) value = std::log10(value);
  return values;
}

/// What all maps of a study share.
class Maps {
 public:
  Maps(const RegimeStudy& study, const RegimeMap& map)
      : study_(study),
        map_(map),
        ratios_(logarithms(study.ratios)),
        ratio_edges_(edges(ratios_)),
        variation_edges_(edges(study.variations)) {}

  std::string script(const std::filesystem::path& picture) const {
    const PictureSize size = regimes_picture_size(study_);
    std::string text = gnuplot_terminal(picture, size.width_in, size.height_in) + settings();
    const double share = map_in / size.width_in;
    for (std::size_t w = 0; w < study_.workers.size(); ++w) {
      text += fmt::format("set lmargin at screen {}\nset rmargin at screen {}\n",
                          (static_cast<double>(w) + 0.25) * share, (static_cast<double>(w) + 0.97) * share);
      text += w == 0 ? "set ylabel \"coefficient of variation\"\n" : "unset ylabel\n";
      text += w + 1 == study_.workers.size() ? key() : "unset key\n";
      text += map_of(w);
    }
    return text + "unset multiplot\n";
  }

 private:
  const RegimePoint& point(std::size_t w, std::size_t v, std::size_t r) const {
    return map_.points[(w * study_.variations.size() + v) * ratios_.size() + r];
  }

  static std::string key() { return "set key at screen 0.99, screen 0.8 right top samplen 1 reverse Left\n"; }

  std::string settings() const {
    std::string ticks;
    for (int power = static_cast<int>(std::floor(ratio_edges_.front())); power <= ratio_edges_.back();
         ++power)
      for (const int digit : {1, 2, 5}) {
        const double at = power + std::log10(digit);
        if (at >= ratio_edges_.front() && at <= ratio_edges_.back())
          ticks += fmt::format("{}\"{:g}\" {}", ticks.empty() ? "" : ", ", std::pow(10, at), at);
      }
    return fmt::format(
        "set multiplot\nset border lw 0.5\nset tics nomirror out\nset tmargin at screen 0.8\n"
        "set bmargin at screen 0.2\nset xrange [{}:{}]\nset yrange [{}:{}]\nset xtics ({})\n"
        "set label 1 {} at screen 0.02, screen 0.96\n",
        ratio_edges_.front(), ratio_edges_.back(), variation_edges_.front(), variation_edges_.back(), ticks,
        gnuplot_text(study_.name));
  }

  /// A box in the algorithm's color; pale is a quarter of it.
  std::string boxes(std::size_t w, std::size_t algorithm, bool is_decided) const {
    std::string lines;
    for (std::size_t v = 0; v < study_.variations.size(); ++v)
      for (std::size_t r = 0; r < ratios_.size(); ++r)
        if (const RegimePoint& at = point(w, v, r); at.fastest == algorithm && at.is_decided() == is_decided)
          lines += fmt::format("{} {} {} {} {} {}\n", ratios_[r], study_.variations[v], ratio_edges_[r],
                               ratio_edges_[r + 1], variation_edges_[v], variation_edges_[v + 1]);
    return lines;
  }

  /// Of simulated points, those where the model is right, or is not.
  std::string dots(std::size_t w, bool is_right) const {
    std::string lines;
    for (std::size_t v = 0; v < study_.variations.size(); ++v)
      for (std::size_t r = 0; r < ratios_.size(); ++r)
        if (const RegimePoint& at = point(w, v, r);
            at.is_simulated && (at.fastest == at.fastest_by_model) == is_right)
          lines += fmt::format("{} {}\n", ratios_[r], study_.variations[v]);
    return lines;
  }

  std::string map_of(std::size_t w) const {
    std::string data;
    std::vector<std::string> drawn;
    // An empty block is drawn as nothing, but keeps its place in the key.
    const auto add = [&](const std::string& name, const std::string& lines, const std::string& how) {
      data += fmt::format("{} << EOD\n{}EOD\n", name, lines.empty() ? "NaN NaN NaN NaN NaN NaN\n" : lines);
      drawn.push_back(fmt::format("{} {}", name, how));
    };
    for (std::size_t i = 0; i < map_.algorithms.size(); ++i) {
      const std::string look = fmt::format("using 1:2:3:4:5:6 with boxxyerror fc rgb '{}' fs",
                                           told_apart_colors[i % told_apart_colors.size()]);
      add(fmt::format("$decided{}", i), boxes(w, i, true),
          fmt::format("{} solid 0.9 noborder title {}", look, gnuplot_text(map_.algorithms[i])));
      add(fmt::format("$open{}", i), boxes(w, i, false), look + " transparent solid 0.3 noborder notitle");
    }
    add("$right", dots(w, true), "using 1:2 with points pt 7 ps 0.35 lc rgb 'black' title 'simulated'");
    add("$wrong", dots(w, false),
        "using 1:2 with points pt 2 ps 0.7 lc rgb 'black' title 'the model differs'");
    return fmt::format(
        "{}set title \"{} workers\"\nset xlabel \"communication / compute\"\nplot {}\nunset label 1\n", data,
        study_.workers[w], fmt::join(drawn, ", \\\n  "));
  }

  const RegimeStudy& study_;
  const RegimeMap& map_;
  std::vector<double> ratios_;  // their logarithms
  std::vector<double> ratio_edges_;
  std::vector<double> variation_edges_;
};

}  // namespace

PictureSize regimes_picture_size(const RegimeStudy& study) {
  return {static_cast<double>(study.workers.size()) * map_in + key_in, height_in};
}

std::string regimes_plot(const RegimeStudy& study, const RegimeMap& map,
                         const std::filesystem::path& picture) {
  return Maps(study, map).script(picture);
}

}  // namespace starling
