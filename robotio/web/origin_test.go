package web

import (
	"net/http/httptest"
	"testing"
)

func TestOrigin(t *testing.T) {
	allowed := []string{"https://good.example"}
	for _, c := range []struct {
		origin, host string
		ok           bool
	}{
		{"", "127.0.0.1:9090", true}, // a program
		{"http://localhost:3000", "127.0.0.1:9090", true},
		{"https://127.0.0.1", "192.168.0.7:9090", true},
		{"http://[::1]:8080", "[::1]:9090", true},
		{"http://192.168.0.7:8080", "192.168.0.7:9090", true},
		{"http://robot:8080", "robot:9090", true},
		{"http://robot.local", "robot.local:9090", true},
		{"https://GOOD.example", "127.0.0.1:9090", true},
		{"http://good.example", "127.0.0.1:9090", false},
		{"https://good.example.evil.example", "127.0.0.1:9090", false},
		{"https://evil.example", "127.0.0.1:9090", false},
		{"https://evil.example:9090", "evil.example:9090", false}, // a name that was made to lead here
		{"http://localhost.evil.example", "127.0.0.1:9090", false},
		{"http://192.168.0.8", "192.168.0.7:9090", false},
		{"null", "127.0.0.1:9090", false}, // a file, or a sandbox
		{"file://", "127.0.0.1:9090", false},
		{"%", "127.0.0.1:9090", false},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if err := checkOrigin(r, allowed); (err == nil) != c.ok {
			t.Errorf("page of %q, server at %q: %v", c.origin, c.host, err)
		}
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Origin", "https://any.example")
	if err := checkOrigin(r, []string{"*"}); err != nil {
		t.Error(err)
	}
}
