package ros2

import (
	"fmt"
	"strings"
)

// maxName is the maximum length of a topic's name in DDS, with its prefix. Source: rmw, RMW_TOPIC_MAX_NAME_LENGTH.
const maxName = 255 - len("rq/") - len("Request")

// splitNode checks the name of a node and splits it into a namespace, which begins with a slash, and a name. The slash
// at the start may be left out.
func splitNode(full string) (namespace, name string, err error) {
	rooted := "/" + strings.TrimPrefix(full, "/")
	if err := checkName(rooted); err != nil {
		return "", "", fmt.Errorf("node name = %q: %w", full, err)
	}
	i := strings.LastIndexByte(rooted, '/')
	return rooted[:max(i, 1)], rooted[i+1:], nil
}

// resolve returns the absolute name of a topic or a service. A name without a slash at its start belongs to the node's
// namespace, and ~ stands for the node's name.
func (n *Node) resolve(name string) (string, error) {
	full := name
	switch {
	case strings.HasPrefix(name, "~/"):
		full = n.Name() + name[1:]
	case !strings.HasPrefix(name, "/"):
		full = strings.TrimSuffix(n.namespace, "/") + "/" + name
	}
	if err := checkName(full); err != nil {
		return "", fmt.Errorf("name = %q: %w", name, err)
	}
	return full, nil
}

// checkName checks an absolute name. Source: design.ros2.org, Topic and Service name mapping to DDS.
func checkName(full string) error {
	if len(full) > maxName {
		return fmt.Errorf("has %d bytes: must have at most %d", len(full), maxName)
	}
	if strings.Contains(full, "__") {
		return fmt.Errorf("must not contain two underscores in a row")
	}
	for token := range strings.SplitSeq(full[1:], "/") {
		if token == "" {
			return fmt.Errorf("must have a letter or an underscore after each slash")
		}
		for i := range len(token) {
			c := token[i]
			letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
			if !letter && (c < '0' || c > '9') {
				return fmt.Errorf("must consist of letters, digits, underscores and slashes")
			}
			if i == 0 && !letter {
				return fmt.Errorf("no part between slashes must begin with a digit")
			}
		}
	}
	return nil
}

// ddsType returns the name in DDS of a type such as std_msgs/msg/String.
func ddsType(typeName string) string {
	i := strings.LastIndexByte(typeName, '/')
	return strings.ReplaceAll(typeName[:i], "/", "::") + "::dds_::" + typeName[i+1:] + "_"
}

// rosType returns the name in ROS of a type in DDS. It is the reverse of ddsType, and returns other names unchanged.
func rosType(typ string) string {
	scope, name, ok := strings.Cut(typ, "::dds_::")
	if name, ok2 := strings.CutSuffix(name, "_"); ok && ok2 {
		return strings.ReplaceAll(scope, "::", "/") + "/" + name
	}
	return typ
}

// libraryName returns the name of a type in a library: package/Type for package/msg/Type, package/srv/Type and
// package/action/Type.
func libraryName(typ string) string {
	pkg, rest, _ := strings.Cut(typ, "/")
	for _, kind := range []string{"msg/", "srv/", "action/"} {
		rest = strings.TrimPrefix(rest, kind)
	}
	return pkg + "/" + rest
}
