package ros1

import (
	"errors"
	"fmt"
	"math"
	"net"
	"strconv"
	"strings"
)

// ParseArgs reads what every ROS program reads: the remapping arguments of a command line (without the program's name)
// and, where they say nothing, the environment. It returns what they configure of a node and the other arguments, in
// order. A caller gives the node its name where none is set:
//
//	cfg, rest, err := ros1.ParseArgs(os.Args[1:], os.Getenv)
//	if cfg.Name == "" {
//		cfg.Name = "camera"
//	}
//
//	| argument                  | environment          | field                                              |
//	| __name:=n                 |                      | Name                                               |
//	| __ns:=ns                  | ROS_NAMESPACE        | Namespace                                          |
//	| __master:=uri             | ROS_MASTER_URI       | MasterURI                                          |
//	| __hostname:=h, __ip:=h    | ROS_HOSTNAME, ROS_IP | Host, in this order; a host by name listens everywhere |
//	| from:=to                  |                      | Remap                                              |
//	| _key:=value               |                      | Params, as int, float64, bool or else string       |
//
// Other names that begin with two underscores (__log) are left out. It fails, with every violation, on arguments that
// lack a side of := or use a name that is none. It does not look at the process itself.
// Source: roscpp 1.15 (init.cpp, this_node.cpp, network.cpp, param.cpp), rospy and rosgraph 1.15 (names.py, network.py).
func ParseArgs(args []string, getenv func(string) string) (cfg NodeConfig, rest []string, err error) {
	var errs []error
	special := map[string]string{}
	cfg.Remap, cfg.Params = map[string]string{}, map[string]any{}
	for _, a := range args {
		from, to, ok := strings.Cut(a, ":=")
		if !ok {
			rest = append(rest, a)
			continue
		}
		from, to = strings.TrimSpace(from), strings.TrimSpace(to)
		switch {
		case from == "" || to == "" || strings.Contains(to, ":="):
			errs = append(errs, fmt.Errorf("argument %q: must be from:=to", a))
		case strings.HasPrefix(from, "__"):
			special[from] = to
		case strings.HasPrefix(from, "_"):
			cfg.Params[from[1:]] = paramValue(to)
		default:
			cfg.Remap[from] = to
		}
	}
	cfg.Name = special["__name"]
	cfg.Namespace = first(special["__ns"], getenv("ROS_NAMESPACE"))
	cfg.MasterURI = first(special["__master"], getenv("ROS_MASTER_URI"))
	cfg.Host = first(special["__hostname"], special["__ip"], getenv("ROS_HOSTNAME"), getenv("ROS_IP"))
	if cfg.Host != "" && cfg.Host != "localhost" && net.ParseIP(cfg.Host) == nil {
		// A name of this machine often means loopback to itself and the network to others, so ROS listens everywhere.
		cfg.Listen = "0.0.0.0"
	}
	probe := cfg
	probe.Name = first(cfg.Name, "n")
	return cfg, rest, errors.Join(append(errs, probe.Validate())...)
}

func first(s ...string) string {
	for _, v := range s {
		if v != "" {
			return v
		}
	}
	return ""
}

// paramValue reads a private parameter's value as roscpp does: an int of 32 bits, a float64, a bool, or text.
func paramValue(s string) any {
	if i, err := strconv.Atoi(s); err == nil && i >= math.MinInt32 && i <= math.MaxInt32 {
		return i
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && strings.ContainsAny(s[:1], "+-.0123456789") {
		return f
	}
	switch strings.ToLower(s) {
	case "true":
		return true
	case "false":
		return false
	}
	return s
}

// setParams sets the private parameters that the configuration holds, in the order of their names.
func (n *Node) setParams(params map[string]any) error {
	for _, key := range sortedNames(params) {
		if err := n.KeepParam("~"+key, params[key]); err != nil {
			return err
		}
	}
	return nil
}
