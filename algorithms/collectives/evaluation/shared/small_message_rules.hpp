#pragma once

namespace starling {

/// How a network model treats small messages (of at most one packet), which never wait for messages of other
/// connections.
struct SmallMessageRules {
  /// Whether they occupy links, so that later messages wait for them, as in the event model.
  bool take_links = false;
  /// Whether they wait for earlier messages of their own connection, as in a connection with a single stream.
  bool keep_order = false;
};

}  // namespace starling
