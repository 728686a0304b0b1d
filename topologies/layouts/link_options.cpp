#include "topologies/layouts/link_options.hpp"

namespace starling {

void describe(LinkOptions& link, OptionVisitor& visitor) {
  visitor.rate({.key = "bandwidth", .meaning = "of one direction; the other is alike", .is_needed = true},
               link.bandwidth_Bps);
  visitor.time({.key = "latency", .meaning = "of one direction", .is_needed = true}, link.latency_s);
}

void describe_needed_link(OptionVisitor& visitor, std::string_view meaning, LinkOptions& link) {
  visitor.object({.key = "link", .meaning = meaning, .is_needed = true}, link);
}

}  // namespace starling
