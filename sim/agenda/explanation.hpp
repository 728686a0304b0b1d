#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace starling {

/// What time may be spent on. Blame::who is a rank for compute to timer (in this order), a link for link,
/// and meaningless for latency and unknown.
enum class SpentOn : std::uint8_t { compute, delay, reduction, overhead, timer, link, latency, unknown };

/// What an interval of time was spent on, and by which rank or link.
struct Blame {
  SpentOn on = SpentOn::unknown;
  std::int32_t who = 0;  // the rank, or the LinkIndex
  double latency_s = 0;  // the part of the time that is latency; the rest was spent as `on` says
  Blame with(double more_latency_s) const { return {on, who, latency_s + more_latency_s}; }
  bool operator==(const Blame&) const = default;
};

/// Finds, on request, the steps behind the result of a collective that was evaluated without sending its
/// messages.
///
/// An explanation consists of parts, consecutive in time. A part has layers of width() moments each; its
/// last layer is layer 0 of the next part. Every moment outside layer 0 was caused by one moment of the
/// previous layer, its origin.
class Explanation {
 public:
  /// What an interval of time was spent on. Segments are ordered backward in time: the first ends at the
  /// moment that it explains, each further one where its predecessor begins.
  struct Segment {
    double end_s;
    double since_s;
    Blame blame;
  };
  /// The origins of moments of a layer, in the order of the requests.
  struct Origins {
    struct Origin {
      std::size_t place;                // index of the origin in its layer
      std::size_t end_of_segments = 0;  // where this moment's segments end in `segments`
    };
    std::vector<Origin> origins;
    std::vector<Segment> segments;  // between origin and moment, the latest first
  };

  Explanation() = default;
  Explanation(const Explanation&) = delete;
  Explanation& operator=(const Explanation&) = delete;
  virtual ~Explanation() = default;

  virtual std::size_t width() const = 0;
  /// The steps of the run, known to the CausalLog, with which the first part begins.
  virtual std::span<const std::uint64_t> begins() const = 0;

  /// The number of parts. Must be called before look_at(), as the parts may be determined only now.
  virtual int parts() = 0;
  /// Selects the part that trace_back() refers to. Returns the number of layers after its layer 0.
  virtual std::size_t look_at(int part) = 0;
  /// Appends to `origins` those of the moments at `places` of a layer other than layer 0.
  virtual void trace_back(std::size_t layer, std::span<const std::size_t> places, Origins& origins) const = 0;
};

}  // namespace starling
