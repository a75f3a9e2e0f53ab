package master

import (
	"fmt"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1/xmlrpc"
)

// ask calls the master without a network, and returns the code and the text of its answer.
func ask(t testing.TB, m *Master, method string, args ...any) (int, string) {
	t.Helper()
	v, err := m.handle(t.Context(), method, args)
	if err != nil {
		t.Fatal(err)
	}
	return v.([]any)[0].(int), v.([]any)[1].(string)
}

// TestNamesAreBounded: a caller that registers without end is refused in words; names that are let go make room.
func TestNamesAreBounded(t *testing.T) {
	m := listen(t)
	var text string
	n, code := 0, 1
	for ; code == 1 && n <= maxNames; n++ {
		code, text = ask(t, m, "registerSubscriber", "/n", fmt.Sprintf("/t%d", n), "std_msgs/Int32", "http://127.0.0.1:1/")
	}
	if want := fmt.Sprintf("must be at most %d", maxNames); code != -1 || !strings.Contains(text, want) {
		t.Fatalf("after %d registrations: %d %q, want %q", n, code, text, want)
	}
	if code, text := ask(t, m, "getPid", "/other"); code != 1 {
		t.Errorf("another call: %d %q", code, text)
	}
	// Topics that nobody uses are forgotten with their types.
	for i := range n {
		ask(t, m, "unregisterSubscriber", "/n", fmt.Sprintf("/t%d", i), "http://127.0.0.1:1/")
	}
	if code, text := ask(t, m, "registerPublisher", "/p", "/t", "std_msgs/Int32", "http://127.0.0.1:2/"); code != 1 {
		t.Errorf("after all have left: %d %q", code, text)
	}
}

// TestParamsAreBounded: parameters cannot fill the memory; one that is set again takes its old one's place.
func TestParamsAreBounded(t *testing.T) {
	m := listen(t)
	big := strings.Repeat("x", maxParams/4)
	for i := range 20 {
		if code, text := ask(t, m, "setParam", "/n", "/same", big+fmt.Sprint(i)); code != 1 {
			t.Fatalf("the same parameter for the %d. time: %d %q", i+1, code, text)
		}
	}
	code, text := 1, ""
	n := 0
	for ; code == 1 && n < 10; n++ {
		code, text = ask(t, m, "setParam", "/n", fmt.Sprintf("/p%d", n), big)
	}
	if want := fmt.Sprintf("must be at most %d", maxParams); n != 3 || !strings.Contains(text, want) {
		t.Errorf("parameter %d: %d %q, want the third refused with %q", n, code, text, want)
	}
	if code, text := ask(t, m, "setParam", "/n", "/small", 1); code != 1 {
		t.Errorf("a small one: %d %q", code, text)
	}
	if code, _ := ask(t, m, "deleteParam", "/n", "/same"); code != 1 {
		t.Error("delete failed")
	}
	if code, text := ask(t, m, "setParam", "/n", "/other", big); code != 1 {
		t.Errorf("after one has gone: %d %q", code, text)
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{}, ""},
		{Config{Addr: "127.0.0.1:0", Host: "robot1"}, ""},
		{Config{Addr: "0.0.0.0:11311", Host: "192.168.1.5"}, ""},
		{Config{Addr: "[::1]:0"}, ""},
		{Config{Addr: "0.0.0.0:11311"}, `addr = "0.0.0.0:11311": listens everywhere: host must say what peers are told`},
		{Config{Addr: ":11311"}, "listens everywhere"},
		{Config{Addr: "127.0.0.1"}, `addr = "127.0.0.1": must be host:port`},
		{Config{Addr: "127.0.0.1:http"}, "must be host:port"},
		{Config{Addr: "127.0.0.1:70000", Host: "http://robot1"}, "in [0, 65535]\nros master: host = \"http://robot1\": must be a name or an address"},
	} {
		err := c.cfg.Validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.cfg, err, c.want)
		}
	}
}

// TestAdvertisedHost: where a master listens and what it tells others are two things.
func TestAdvertisedHost(t *testing.T) {
	m, err := Listen(Config{Addr: "127.0.0.1:0", Host: "localhost"})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	v, err := xmlrpc.Call(t.Context(), m.URI(), "getUri", "/t")
	if err != nil || v.([]any)[2] != m.URI() || !strings.HasPrefix(m.URI(), "http://localhost:") {
		t.Errorf("getUri = %v, %v; URI = %s", v, err, m.URI())
	}
}
