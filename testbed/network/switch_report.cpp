#include "testbed/network/switch_report.hpp"

#include <fmt/format.h>

#include <string>

namespace starling {
namespace {

/// A lateness beyond this falsifies measurements of milliseconds by percents.
constexpr double suspicious_lateness_s = 200e-6;

std::string us(double time_s) { return fmt::format("{:.0f} us", time_s * 1e6); }

}  // namespace

std::string switch_report(const FrameSwitch& frame_switch, const HostRoutes& routes,
                          const std::string& missing) {
  const FrameSwitch::Counters& counters = frame_switch.counters();
  const Lateness& lateness = frame_switch.lateness();
  std::string text = fmt::format(
      "{} frames ({:.3f} MB) forwarded; late by: 50 % at most {}, 99 % at most {}, all at most {}\n",
      counters.delivered, static_cast<double>(counters.delivered_bytes) * 1e-6, us(lateness.quantile_s(0.5)),
      us(lateness.quantile_s(0.99)), us(lateness.max_s()));
  const auto links = frame_switch.network().counters();
  for (std::size_t index = 0; index < links.size(); ++index)
    if (links[index].dropped_frames > 0)
      text += fmt::format("warning: {} of {} frames dropped, as the queue of the link {} was full\n",
                          links[index].dropped_frames, links[index].dropped_frames + links[index].frames,
                          routes.links()[index].name);
  if (counters.refused > 0)
    text += fmt::format("warning: {} frames were refused by the receiving host\n", counters.refused);
  if (lateness.quantile_s(0.99) > suspicious_lateness_s)
    text +=
        "warning: the switch forwarded frames late; use slower links, fewer hosts, or a machine with less "
        "other load\n";
  if (!missing.empty()) text += fmt::format("warning: {}timing is less accurate\n", missing);
  return text;
}

}  // namespace starling
