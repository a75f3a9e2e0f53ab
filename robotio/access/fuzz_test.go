package access

import (
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// FuzzGuard: no header makes the guard panic or write much, and what it admits holds a name or an address of this
// machine.
func FuzzGuard(f *testing.F) {
	for _, seed := range [][2]string{
		{"127.0.0.1:1", "http://localhost"}, {"[::1]:1", "null"}, {"[fe80::1%25eth0]", "http://[::1"},
		{"evil.local", "http://evil.local"},
		{"localhost.", "http://localhost@evil"}, {"::", "//"}, {"[", "%"}, {"a:b:c", "http://127.0.0.1:99999"},
		{"1.2.3", "http://0x7f.1"}, {"", ""},
	} {
		f.Add(seed[0], seed[1])
	}
	g := Rule{}.Guard("test", nil)
	g.machine.hostsFile = "/nonexistent"
	g.machine.refresh()
	// 7f: 127.0.0.1 in an IPv6 address
	ours := append(slices.Collect(maps.Keys(g.machine.own)), "localhost", "127.", "7f", "::", "0.0.0.0", "0:0")
	names := func(header string) bool {
		header = strings.ToLower(header)
		return header == "" || slices.ContainsFunc(ours, func(s string) bool { return strings.Contains(header, s) })
	}
	f.Fuzz(func(t *testing.T, host, origin string) {
		r := httptest.NewRequest("POST", "/", nil)
		r.Host = host
		r.Header.Set("Origin", origin)
		if err := g.check(r); err == nil && (!names(host) || !names(origin)) {
			t.Errorf("host %q, origin %q: admitted", host, origin)
		} else if err != nil && len(err.Error()) > 600 {
			t.Errorf("%d bytes: %v", len(err.Error()), err)
		}
	})
}
