package ros1

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// argCases are command lines and environments; names are asked of a node called peer.
var argCases = []struct {
	what string
	args []string
	env  map[string]string
	name string // the node's
	host string
}{
	{"nothing", nil, nil, "/peer", "127.0.0.1"},
	{"topics", []string{"image:=/cam/image", "/abs:=rel", "~own:=~other", "a/b:=c"}, nil, "/peer", "127.0.0.1"},
	{"namespace by environment", []string{"image:=picture"}, map[string]string{"ROS_NAMESPACE": "cyan1"}, "/cyan1/peer", "127.0.0.1"},
	{"namespace by argument", []string{"__ns:=/a/b", "image:=picture", "~own:=/root"}, map[string]string{"ROS_NAMESPACE": "cyan1"}, "/a/b/peer", "127.0.0.1"},
	{"name", []string{"__name:=eye", "~own:=x"}, map[string]string{"ROS_NAMESPACE": "ns"}, "/ns/eye", "127.0.0.1"},
	{"host before ip", nil, map[string]string{"ROS_HOSTNAME": "localhost", "ROS_IP": "127.0.0.2"}, "/peer", "localhost"},
	{"ip", nil, map[string]string{"ROS_IP": "127.0.0.3"}, "/peer", "127.0.0.3"},
	{"ip by argument", []string{"__ip:=127.0.0.4"}, map[string]string{"ROS_HOSTNAME": "localhost", "ROS_IP": "127.0.0.2"}, "/peer", "127.0.0.4"},
	{"host by argument", []string{"__hostname:=localhost"}, map[string]string{"ROS_IP": "127.0.0.2"}, "/peer", "localhost"},
	{"parameters", []string{"_int:=3", "_float:=1.5", "_neg:=-2", "_text:=a b", "_flag:=true", "_off:=false", "_deep/er:=x"}, nil, "/peer", "127.0.0.1"},
}

var askedNames = []string{"image", "/abs", "abs", "~own", "a/b", "/a/b", "x/image", "picture"}

// asROS returns what our node makes of a case, in the words of the peers' programs.
func asROS(t *testing.T, uri string, args []string, env map[string]string) (answer []string, params any) {
	t.Helper()
	cfg, rest, err := ParseArgs(append([]string{"names"}, args...), func(k string) string {
		if v, ok := env[k]; ok || k != "ROS_MASTER_URI" {
			return v
		}
		return uri
	})
	if err != nil || !reflect.DeepEqual(rest, []string{"names"}) {
		t.Fatal(rest, err)
	}
	if cfg.Name == "" {
		cfg.Name = "peer"
	}
	n := must(NewNode(cfg))(t)
	answer = []string{"node " + n.Name(), "host " + n.host, "master " + n.master}
	for _, name := range askedNames {
		full, err := n.resolve(name)
		if err != nil {
			t.Error(err)
		}
		answer = append(answer, "resolve "+name+" "+full)
	}
	if params, err = n.GetParam(n.name); err != nil {
		params = nil
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
	return answer, params
}

// TestArgsAgainstROS trusts rospy and roscpp: a node of ours means by a command line and an environment what theirs do.
func TestArgsAgainstROS(t *testing.T) {
	program := roscppPeer(t)
	for _, c := range argCases {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			ours, params := asROS(t, newMaster(t).URI(), c.args, c.env)
			if !strings.HasPrefix(ours[0], "node "+c.name) || ours[1] != "host "+c.host {
				t.Errorf("got %s, %s, want %s at %s", ours[0], ours[1], c.name, c.host)
			}
			for peer, argv := range map[string][]string{
				"rospy":  {debianPython, "-c", printLine + rospyNames},
				"roscpp": {program, "names"},
			} {
				uri := newMaster(t).URI()
				var env []string
				if c.env["ROS_HOSTNAME"] == "" && c.env["ROS_IP"] == "" {
					env = append(env, "ROS_IP=127.0.0.1")
				}
				for k, v := range c.env {
					env = append(env, k+"="+v)
				}
				out, err := startEnv(t, uri, env, append(append(argv, askedNames...), c.args...)...).end()
				if err != nil {
					t.Fatalf("%s: %v\n%s", peer, err, out)
				}
				var theirs []string
				for _, l := range strings.Split(out, "\n") {
					if strings.HasPrefix(l, "namespace") {
						continue
					}
					if l = strings.TrimSpace(l); l != "" {
						theirs = append(theirs, l)
					}
				}
				want := append([]string{}, ours...)
				want[2] = "master " + uri
				if diff := cmp.Diff(theirs, want); diff != "" {
					t.Errorf("(-%s +ours):\n%s", peer, diff)
				}
				got, err := newNode(t, uri, "/test").GetParam(c.name)
				if err != nil {
					got = nil
				}
				if diff := cmp.Diff(got, params); diff != "" {
					t.Errorf("parameters (-%s +ours):\n%s", peer, diff)
				}
			}
		})
	}
}

const rospyNames = `
import rospy, sys, rosgraph
rospy.init_node('peer')
print('node', rospy.get_name())
print('host', rosgraph.network.get_host_name())
print('master', rosgraph.get_master_uri())
for n in rospy.myargv()[1:]: print('resolve', n, rospy.resolve_name(n))
`

// TestArgs holds what no oracle says: environments that are not looked at, words that are left, and errors.
func TestArgs(t *testing.T) {
	none := func(string) string { return "" }
	cfg, rest, err := ParseArgs([]string{"-v", "a:=b", "file", "__master:=http://robot:11311", "__log:=/dev/null"}, none)
	if err != nil || fmt.Sprint(rest) != "[-v file]" || cfg.MasterURI != "http://robot:11311" || cfg.Host != "" || cfg.Listen != "" {
		t.Errorf("%+v %v %v", cfg, rest, err)
	}
	cfg, _, err = ParseArgs(nil, func(k string) string { return map[string]string{"ROS_HOSTNAME": "robot1"}[k] })
	if err != nil || cfg.Host != "robot1" || cfg.Listen != "0.0.0.0" {
		t.Errorf("%+v %v", cfg, err)
	}
	_, _, err = ParseArgs([]string{"a:=", ":=b", "a:=b:=c", "x y:=z", "__name:=a b", "__hostname:=http://h:1", "__master:=robot", "_p q:=1"}, none)
	for _, want := range []string{
		`argument "a:=": must be from:=to`, `argument ":=b": must be`, `argument "a:=b:=c": must be`,
		`ros node: name = "a b": must be a name`,
		`ros node: master URI = "robot": must be http://host:port/`,
		`ros node: host = "http://h:1": must be a name or an address, without protocol and port`,
		`ros node: remap "x y" to "z": both must be names`,
		`ros node: private parameter "p q": must be a name`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("err = %v, want %q", err, want)
		}
	}
	if err := (NodeConfig{Name: "n", Namespace: "~x", Listen: "eth0"}).Validate(); err == nil ||
		!strings.Contains(err.Error(), `namespace = "~x"`) || !strings.Contains(err.Error(), `listen = "eth0": must be an address`) {
		t.Error(err)
	}
}

// TestListenAndHost: a node listens at one address and tells peers another.
func TestListenAndHost(t *testing.T) {
	m := newMaster(t)
	n := must(NewNode(NodeConfig{Name: "n", MasterURI: m.URI(), Host: "localhost", Listen: "127.0.0.1"}))(t)
	defer n.Close()
	if !strings.HasPrefix(n.URI(), "http://localhost:") {
		t.Errorf("URI = %s", n.URI())
	}
	if host := n.tcp.Addr().String(); !strings.HasPrefix(host, "127.0.0.1:") {
		t.Errorf("listens at %s", host)
	}
	if _, err := callNode(t.Context(), n.URI(), "getPid", "/t"); err != nil {
		t.Error(err)
	}
	if _, err := NewNode(NodeConfig{Name: "n", MasterURI: m.URI(), Listen: "192.0.2.1"}); err == nil || !strings.Contains(err.Error(), `listen = "192.0.2.1": must be an address of this machine`) {
		t.Error(err)
	}
}
