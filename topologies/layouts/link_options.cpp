#include "topologies/layouts/link_options.hpp"

namespace starling {

void describe(LinkOptions& link, OptionVisitor& visitor) {
  visitor.rate({.key = "bandwidth", .meaning = "bandwidth in each direction", .is_needed = true},
               link.bandwidth_Bps);
  visitor.time({.key = "latency", .meaning = "latency in each direction", .is_needed = true}, link.latency_s);
}

void describe_needed_link(OptionVisitor& visitor, std::string_view meaning, LinkOptions& link) {
  visitor.object({.key = "link", .meaning = meaning, .is_needed = true}, link);
}

int described_size(OptionVisitor& visitor, const Option& option, std::optional<int>& size, int otherwise,
                   IntegerRange range, bool is_known) {
  if (!is_known) {
    visitor.integer(option, size, range);
    return size.value_or(otherwise);
  }
  int value = size.value_or(otherwise);
  visitor.integer(option, value, range);
  if (visitor.gives(option.key)) size = value;
  return value;
}

}  // namespace starling
