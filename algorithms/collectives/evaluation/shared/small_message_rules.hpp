#pragma once

namespace starling {

/// What a network model does with messages of at most a packet, which never wait for those of others.
struct SmallMessageRules {
  /// Whether others wait for them, as in the event model.
  bool take_links = false;
  /// Whether they wait for what is before them on their own connection, as where all goes in one stream.
  bool keep_order = false;
};

}  // namespace starling
