package ros1

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCachedParam: the cache follows what this node, another node and ROS's own tools do, on either master.
func TestCachedParam(t *testing.T) {
	withMasters(t, func(t *testing.T, uri string) {
		n, other := newNode(t, uri, "/ns/n"), newNode(t, uri, "/other")
		if _, err := n.CachedParam("x"); !errors.Is(err, ErrNoParam) {
			t.Errorf("err = %v, want ErrNoParam", err)
		}
		cached := func(key string, want any) {
			t.Helper()
			var got any
			var err error
			until(t, fmt.Sprintf("%s to be %v", key, want), func() bool {
				got, err = n.CachedParam(key)
				return cmp.Equal(got, want) || errors.Is(err, ErrNoParam) && want == nil
			})
		}
		set := func(who *Node, key string, v any) {
			t.Helper()
			if err := who.SetParam(key, v); err != nil {
				t.Fatal(err)
			}
		}
		set(n, "x", 1) // the master does not tell a node what it did itself
		if v, err := n.CachedParam("x"); v != 1 || err != nil {
			t.Errorf("our own change: %v, %v", v, err)
		}
		set(other, "/ns/x", "text")
		cached("x", "text")
		cached("/ns", map[string]any{"x": "text"})
		set(other, "/ns/deep/er", 2.5) // below what we watch
		cached("/ns", map[string]any{"x": "text", "deep": map[string]any{"er": 2.5}})
		cached("/ns/deep/er", 2.5)
		run(t, uri, "rosparam", "set", "/ns", "{x: 4}") // which sets what it names
		cached("x", 4)
		cached("/ns/deep/er", 2.5)
		set(other, "/ns", map[string]any{"x": 5, "y": []any{1, 2}}) // above what we watch
		cached("x", 5)
		cached("/ns/deep/er", nil)
		cached("/ns", map[string]any{"x": 5, "y": []any{1, 2}})
		v, err := n.CachedParam("/ns")
		if err != nil {
			t.Fatal(err)
		}
		v.(map[string]any)["x"] = "spoilt" // the caller's own
		cached("x", 5)
		run(t, uri, "rosparam", "delete", "/ns/x")
		cached("x", nil)
		cached("/ns", map[string]any{"y": []any{1, 2}})
		if err := n.DeleteParam("/ns/y"); err != nil {
			t.Error(err)
		}
		cached("/ns", nil)
	})
}

// TestWatchParam: a callback gets the value there is and every last change, and closing unsubscribes.
func TestWatchParam(t *testing.T) {
	withMasters(t, func(t *testing.T, uri string) {
		n, other := newNode(t, uri, "/n"), newNode(t, uri, "/other")
		got := make(chan string, 100)
		watch := func(v any, set bool) { got <- fmt.Sprint(v, " ", set) }
		if err := n.WatchParam("~rate", watch); err != nil {
			t.Fatal(err)
		}
		next := func(want string) {
			t.Helper()
			for v := recv(t, got); v != want; v = recv(t, got) {
				if v != "map[] false" { // a deletion may be told twice
					t.Errorf("got %s, want %s", v, want)
				}
			}
		}
		next("map[] false")
		for i := range 3 {
			if err := other.SetParam("/n/rate", i); err != nil {
				t.Fatal(err)
			}
			next(fmt.Sprint(i, " true"))
		}
		if err := other.DeleteParam("/n/rate"); err != nil {
			t.Fatal(err)
		}
		next("map[] false")
		if err := n.SetParam("~rate", 7); err != nil {
			t.Fatal(err)
		}
		next("7 true")
		// A watcher may change what it watches.
		if err := n.WatchParam("~rate", func(v any, _ bool) {
			if v == 7 {
				if err := n.SetParam("~rate", 8); err != nil {
					t.Error(err)
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
		next("8 true")
		if err := n.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := callNode(t.Context(), uri, "lookupNode", "/t", "/n"); err == nil {
			t.Error("the master still knows the node")
		}
	})
}

// TestSearchParam trusts rosmaster, and that the embedded one finds the same.
func TestSearchParam(t *testing.T) {
	withMasters(t, func(t *testing.T, uri string) {
		n := must(NewNode(NodeConfig{Name: "/a/b/n", MasterURI: uri, Remap: map[string]string{"renamed": "p", "x": "y"}}))(t)
		defer n.Close()
		for _, key := range []string{"/p", "/a/q", "/a/b/r", "/a/b/n/s", "/a/p"} {
			if err := n.SetParam(key, 1); err != nil {
				t.Fatal(err)
			}
		}
		for key, want := range map[string]string{"p": "/a/p", "q": "/a/q", "r": "/a/b/r", "s": "/a/b/n/s", "/p": "/p", "q/deep": "/a/q/deep", "renamed": "/a/p"} {
			got, err := n.SearchParam(key)
			if got != want || err != nil {
				t.Errorf("%s = %s, %v, want %s", key, got, err, want)
			}
		}
		if _, err := n.SearchParam("none"); !errors.Is(err, ErrNoParam) {
			t.Errorf("err = %v", err)
		}
		if _, err := n.SearchParam("a b"); err == nil || !strings.Contains(err.Error(), "must be letters") {
			t.Errorf("err = %v", err)
		}
	})
}
