package access

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// own returns the host's name without its domain, and an address of this machine that is not loopback's, where there is
// one.
func own(t *testing.T) (name, addr string) {
	name = must.Get(os.Hostname())(t)
	name, _, _ = strings.Cut(name, ".")
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
			addr = ip.IP.String()
		}
	}
	return name, addr
}

func request(host, origin string) *http.Request {
	r := httptest.NewRequest("POST", "/", nil)
	r.Host = host
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	return r
}

func TestGuard(t *testing.T) {
	name, addr := own(t)
	g := Rule{Hosts: []string{"Simulator.lab.example", "192.0.2.7", "2001:DB8::7"},
		Origins: []string{"https://good.example"}}.Guard("test", nil, "told")
	type row struct {
		host, origin, refused string // refused: what is at fault; empty: nothing
	}
	rows := []row{
		// Programs: no Origin, and the host of the URI that they were given.
		{"", "", ""}, // HTTP/1.0
		{"127.0.0.1:11311", "", ""},
		{"localhost:11311", "", ""},
		{"LOCALHOST.:11311", "", ""},
		{"[::1]:11311", "", ""},
		{"[::ffff:127.0.0.1]:1", "", ""},
		{"127.0.1.1", "", ""},
		{"0.0.0.0:11311", "", ""},
		{"sim.localhost:1", "", ""},
		{name + ":11311", "", ""},
		{strings.ToUpper(name) + ".local:11311", "", ""},
		{"simulator.LAB.example:11311", "", ""},
		{"192.0.2.7:11311", "", ""},
		{"[2001:db8:0::7]:11311", "", ""},
		{"told:40000", "", ""},
		// Names that somebody else can make lead here: by DNS, over mDNS, by a search domain.
		{"evil.example:11311", "", "host"},
		{"evil.local:11311", "", "host"},
		{name + ".local.evil.example", "", "host"},
		{"x" + name + ".local", "", "host"},
		{"router", "", "host"},
		{"localhost.evil.example", "", "host"},
		{"127.0.0.1.evil.example", "", "host"},
		{"notlocalhost", "", "host"},
		{"203.0.113.9:11311", "", "host"},
		{"[2001:db8::8]", "", "host"},
		{"[fe80::1%25eth0]:1", "", "host"},
		{":11311", "", "host"},
		{"[", "", "host"},
		// Pages of this machine, and configured ones.
		{"127.0.0.1:9090", "http://localhost:3000", ""},
		{"127.0.0.1:9090", "https://127.0.0.1", ""},
		{"[::1]:9090", "http://[::1]:8080", ""},
		{"127.0.0.1:9090", "http://" + name + ":8080", ""},
		{"127.0.0.1:9090", "http://" + name + ".local", ""},
		{"192.0.2.7:9090", "http://192.0.2.7:8080", ""},
		{"127.0.0.1:9090", "https://GOOD.example", ""},
		// Pages of strangers.
		{"127.0.0.1:9090", "http://good.example", "origin"},
		{"127.0.0.1:9090", "https://good.example.evil.example", "origin"},
		{"127.0.0.1:9090", "https://evil.example", "origin"},
		{"127.0.0.1:9090", "http://evil.local", "origin"},
		{"127.0.0.1:9090", "http://router:8080", "origin"},
		{"127.0.0.1:9090", "http://localhost.evil.example", "origin"},
		{"127.0.0.1:9090", "http://localhost@evil.example", "origin"},
		{"127.0.0.1:9090", "http://203.0.113.9", "origin"},
		{"127.0.0.1:9090", "null", "origin"}, // a file, or a sandbox
		{"127.0.0.1:9090", "file://", "origin"},
		{"127.0.0.1:9090", "ftp://localhost", "origin"},
		{"127.0.0.1:9090", "chrome-extension://localhost", "origin"},
		{"127.0.0.1:9090", "%", "origin"},
		{"127.0.0.1:9090", "*", "origin"},
		// Both made up: a page of a name that was made to lead here.
		{"evil.example:9090", "https://evil.example:9090", "host"},
		{"evil.local:9090", "http://evil.local:9090", "host"},
		{"router:9090", "http://router:9090", "host"},
		{"evil.example:9090", "https://good.example", "host"},
	}
	if addr != "" {
		rows = append(rows, row{addr + ":9090", "http://" + addr, ""}, row{addr, "https://evil.example", "origin"})
	}
	for _, c := range rows {
		err := g.check(request(c.host, c.origin))
		if (err == nil) != (c.refused == "") || err != nil && !strings.HasPrefix(err.Error(), c.refused+" = ") {
			t.Errorf("host %q, origin %q: %v, want a refusal for %q", c.host, c.origin, err, c.refused)
		}
	}
	all := Rule{Origins: []string{"*"}}.Guard("test", nil)
	if err := all.check(request("127.0.0.1", "null")); err != nil {
		t.Error(err)
	}
	if err := all.check(request("evil.example", "null")); err == nil {
		t.Error("with every page allowed, a made up name is taken")
	}
}

// TestSites checks requests whose Origin a browser omits, such as for images. A page of another origin, also of this
// machine, may only be linked from.
func TestSites(t *testing.T) {
	all, none := Rule{Origins: []string{"*"}}.Guard("test", nil), Rule{}.Guard("test", nil)
	for _, c := range []struct {
		method, path, site, mode, dest, origin string
		refused                                bool
	}{
		{method: "GET", path: "/api/state"},
		{method: "GET", path: "/api/state", site: "same-origin"},
		{method: "GET", path: "/api/state", site: "none", mode: "navigate", dest: "document"},
		{method: "GET", path: "/api/state", site: "cross-site", refused: true},
		{method: "GET", path: "/api/state", site: "same-site", refused: true},
		{method: "GET", path: "/", site: "cross-site", mode: "no-cors", dest: "image", refused: true},
		{method: "GET", path: "/", site: "cross-site", mode: "navigate", dest: "iframe", refused: true},
		{method: "POST", path: "/", site: "cross-site", mode: "navigate", dest: "document", refused: true},
		{method: "GET", path: "/api/state", site: "cross-site", mode: "navigate", dest: "document", refused: true},
		{method: "GET", path: "/", site: "cross-site", mode: "navigate", dest: "document"},
		{method: "GET", path: "/api/state", site: "other", refused: true},
		{method: "GET", path: "/", site: "same-site", mode: "websocket", origin: "http://localhost:3000"},
		{method: "GET", path: "/", site: "cross-site", mode: "websocket", origin: "http://evil.example", refused: true},
	} {
		r := request("127.0.0.1:9090", c.origin)
		r.Method, r.URL.Path = c.method, c.path
		for name, value := range map[string]string{"Site": c.site, "Mode": c.mode, "Dest": c.dest} {
			if value != "" {
				r.Header.Set("Sec-Fetch-"+name, value)
			}
		}
		if err := none.check(r); (err != nil) != c.refused {
			t.Errorf("%+v: got %v, want a refusal: %v", c, err, c.refused)
		}
		if err := all.check(r); err != nil {
			t.Errorf("%+v: got %v with every page allowed", c, err)
		}
	}
}

// TestHostsFile: names that the machine's hosts file gives to its own addresses are its own to programs; pages of such
// names are not.
func TestHostsFile(t *testing.T) {
	_, addr := own(t)
	if addr == "" {
		addr = "127.0.0.1"
	}
	g := Rule{}.Guard("test", nil)
	g.machine.hostsFile = filepath.Join(t.TempDir(), "hosts")
	text := "127.0.0.1 localhost\n# 127.0.0.1 comment\n127.0.1.1\tsim.lab.example sim # more\n" + addr +
		" robot\n203.0.113.9 other\nbroken\n127.0.0.1\n"
	must.Do(t, os.WriteFile(g.machine.hostsFile, []byte(text), 0o600))
	for host, want := range map[string]bool{"sim": true, "SIM.lab.example:11311": true, "robot": true, "other": false,
		"comment": false, "more": false, "broken": false} {
		if err := g.check(request(host, "")); (err == nil) != want {
			t.Errorf("%s: %v", host, err)
		}
	}
	if err := g.check(request("sim", "http://sim:8080")); err == nil {
		t.Error("a page of a name in the hosts file may connect")
	}
	// A name that is added is known soon; a flood of requests looks it up once.
	must.Do(t, os.WriteFile(g.machine.hostsFile, []byte("127.0.0.1 late\n"), 0o600))
	g.machine.read = time.Now().Add(time.Hour)
	if err := g.check(request("late", "")); err == nil {
		t.Error("the hosts file is read at every request")
	}
	g.machine.read = time.Now().Add(-refreshTime)
	if err := g.check(request("late", "")); err != nil {
		t.Error(err)
	}
}

// TestAdmit: who is refused is told why in one sentence, and the log once in a while, however often it happens.
func TestAdmit(t *testing.T) {
	var log bytes.Buffer
	g := Rule{}.Guard("ros master", slog.New(slog.NewTextHandler(&log, nil)))
	for range 100 {
		w := httptest.NewRecorder()
		if g.Admit(w, request("127.0.0.1:1", "http://evil.example")) {
			t.Fatal("admitted")
		}
		want := `ros master: origin = "http://evil.example": must be a page of this machine, or one that --origin names` + "\n"
		if w.Code != http.StatusForbidden || w.Body.String() != want ||
			w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Fatalf("status %d, %q", w.Code, w.Body)
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "level=WARN") ||
		!strings.Contains(log.String(), "refused: origin = ") {
		t.Errorf("%d lines:\n%s", n, &log)
	}
	g.limit = rate.NewLimiter(1, 1) // as if time had passed
	g.Admit(httptest.NewRecorder(), request("evil.local", ""))
	if !strings.Contains(log.String(), "host = ") || !strings.Contains(log.String(), "--allow-host") ||
		!strings.Contains(log.String(), "(and 99 more since)") {
		t.Error(log.String())
	}
	var told error
	g = Rule{Refused: func(err error) { told = err }}.Guard("rosbridge", nil)
	if w := httptest.NewRecorder(); !g.Admit(w, request("localhost", "")) || w.Body.Len() > 0 || told != nil {
		t.Errorf("%v, %q", told, w.Body)
	}
	if g.Admit(httptest.NewRecorder(), request(strings.Repeat("x", 10000), "")); told == nil ||
		len(told.Error()) > 300 {
		t.Errorf("%v", told)
	}
}

func TestViolations(t *testing.T) {
	r := Rule{Hosts: []string{"good", "192.0.2.7", "::1", "http://x", "x:1", "", "*"},
		Origins: []string{"*", "https://good.example:8080", "good.example", "https://x.example/path", "null",
			"ftp://a"}}
	want := []string{`hosts[3] = "http://x": must be a name`, `hosts[4] = "x:1": must be a name`,
		`hosts[5] = "": must be a name`, `hosts[6] = "*": must be a name`,
		`origins[2] = "good.example": must be http://host`, `origins[3] = "https://x.example/path": must be`,
		`origins[4] = "null": must be`, `origins[5] = "ftp://a": must be http://`}
	got := r.Violations()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !strings.HasPrefix(got[i].Error(), want[i]) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}
