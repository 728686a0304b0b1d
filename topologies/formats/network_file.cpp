#include "topologies/formats/network_file.hpp"

#include "base/reject.hpp"
#include "io/json/json_text.hpp"
#include "topologies/formats/graphml.hpp"
#include "topologies/formats/node_link.hpp"
#include "topologies/formats/platform.hpp"

namespace starling {

void describe_kind(FileNetworkOptions& options, int, OptionVisitor& visitor) {
  visitor.file(
      {.key = "path",
       .meaning =
           "a file that ends in .graphml or .xml (GraphML or a SimGrid platform) or .json (node-link), "
           "relative to this file; hosts are the nodes declared as such or, if none are, those with one "
           "cable, numbered in file order. If there are more hosts than the cluster needs, the first are "
           "taken; of the others, those with one cable are left out, and those with several are switches",
       .is_needed = true},
      options.path);
}

Fabric build_from_file(int hosts, const FileNetworkOptions& options) {
  const std::string& path = options.path;
  if (path.ends_with(".json")) return fabric_of(network_of_node_link(read_text_file(path), path), hosts);
  if (!path.ends_with(".graphml") && !path.ends_with(".xml"))
    reject("{}: not a network; expected a file that ends in .graphml, .xml or .json", path);
  const XmlText document(read_text_file(path), path);
  if (document.root().name() == std::string_view("platform")) return fabric_of_platform(document, hosts);
  return fabric_of(network_of_graphml(document), hosts);
}

}  // namespace starling
