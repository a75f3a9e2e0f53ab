package ros1

import (
	"context"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// FuzzSlave sends a node sequences of calls of the slave API, one per line: method, caller and arguments, separated by
// tabs. It checks that every answer is [code, text, value] with a valid code, that memory is bounded, and that the node
// still publishes.
func FuzzSlave(f *testing.F) {
	for _, s := range []string{
		"getBusStats\t/a\ngetBusInfo\t/a\ngetMasterUri\t/a\ngetPid\t/a\ngetPublications\t/a\ngetSubscriptions\t/a",
		"requestTopic\t/a\t/t\tTCPROS\nrequestTopic\t/a\t/t\tLIST\nrequestTopic\t/a\t/none\tTCPROS\n" +
			"requestTopic\t/a\t7\tMAP",
		"publisherUpdate\t/a\t/s\tURIS\npublisherUpdate\t/a\t/s\tLIST\npublisherUpdate\t/a\t/s\tx\n" +
			"publisherUpdate\t/a\tMAP\tURIS",
		"paramUpdate\t/a\t/p/\tMAP\nparamUpdate\t/a\t/p/q/\t7\nparamUpdate\t/a\t7\t7",
		"publisherUpdate\t/a\nrequestTopic\nnonsense\t/a\n\t\t\t",
		strings.Repeat("publisherUpdate\t/a\t/s\tMANY\n", 10),
	} {
		f.Add(s)
	}
	uri := newMaster(f).URI()
	join := func(name string) *Node { // without a log, which must not be used during fuzzing
		n := must.Get(NewNode(NodeConfig{Name: name, MasterURI: uri}))(f)
		f.Cleanup(func() { n.Close() })
		return n
	}
	n := join("/n")
	pub := must.Get(Advertise[msg.Int32](n, "/t", "std_msgs/Int32", PubOptions{}))(f)
	must.Get(Subscribe(n, "/s", "std_msgs/Int32", func(*msg.Int32) {}))(f)
	got := make(chan int32, 1)
	must.Get(Subscribe(join("/other"), "/t", "std_msgs/Int32", func(m *msg.Int32) { got <- m.Data }))(f)
	must.Until(f, "the subscriber", func() bool { return pub.NumSubscribers() == 1 })
	f.Fuzz(func(t *testing.T, script string) {
		if strings.Contains(script, "//") || len(script) > 1<<16 {
			return // the node would call a real address
		}
		allocs.AtMost(t, allocs.ParseLimit, func() {
			for line := range strings.Lines(script) {
				words := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
				if words[0] == "shutdown" {
					continue // the node would shut down
				}
				var args []any
				for _, w := range words[1:] {
					args = append(args, slaveArgument(w))
				}
				v, err := n.answer(context.Background(), words[0], args)
				if _, known := slaveMethods[words[0]]; known != (err == nil) {
					t.Fatalf("%q: %v, %v", line, v, err)
				} else if !known {
					continue
				}
				list, _ := v.([]any)
				if len(list) != 3 {
					t.Fatalf("%q: %v", line, v)
				}
				code, ok := list[0].(int)
				if _, text := list[1].(string); !ok || !text || code < -1 || code > 1 {
					t.Fatalf("%q: %v", line, v)
				}
			}
		})
		pub.Publish(&msg.Int32{Data: 7})
		if v := recv(t, got); v != 7 {
			t.Fatalf("%q: %d was published as 7", script, v)
		}
	})
}

// slaveArgument returns the value of a word of a script. Nobody listens at the addresses in it.
func slaveArgument(w string) any {
	switch w {
	case "TCPROS":
		return []any{[]any{"UDPROS", 1}, []any{"TCPROS"}}
	case "LIST":
		return []any{1, nil, []any{}, []any{nil}, map[string]any{}, "x"}
	case "URIS":
		return []any{"http://127.0.0.1:1/", "http://127.0.0.1:1/", "http://[::1", "x:y"}
	case "MANY":
		var uris []any
		for range 100 {
			uris = append(uris, "http://127.0.0.1:1/"+strings.Repeat("a", len(uris)))
		}
		return uris
	case "MAP":
		return map[string]any{"a": map[string]any{"b": 1.5}, "": 2, "c/d": []any{true, nil}}
	case "7":
		return 7
	}
	return w
}
