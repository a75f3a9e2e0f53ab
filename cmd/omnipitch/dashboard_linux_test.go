package main

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

var dashboardLine = regexp.MustCompile(`: dashboard at (http://\S+)`)

// showsDashboard starts a run with a dashboard. It returns the process and the address that it prints.
func showsDashboard(t *testing.T, args ...string) (*process, string) {
	t.Helper()
	p := start(t, "http://127.0.0.1:9/", append([]string{program(t), "run", "planar", "--level", "*=truth", "--ros1",
		"off"}, args...)...)
	p.says(": dashboard at http")
	return p, dashboardLine.FindStringSubmatch(p.stderr())[1]
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	resp := must(http.DefaultClient.Do(must(http.NewRequestWithContext(t.Context(), "GET", url, nil))(t)))(t)
	defer resp.Body.Close()
	text := must(io.ReadAll(resp.Body))(t)
	return resp.StatusCode, string(text)
}

// act executes an action and returns the status of the answer: 200 after a step.
func act(t *testing.T, at, token, action string) int {
	t.Helper()
	r := must(http.NewRequestWithContext(t.Context(), "POST", at+"/api/do", strings.NewReader(action)))(t)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	resp := must(http.DefaultClient.Do(r))(t)
	defer resp.Body.Close()
	return resp.StatusCode
}

// TestDashboardOfRun checks that run --web serves a page at the printed address and executes its commands, also without
// ROS. A port that is in use must be an error of the machine, in one sentence.
func TestDashboardOfRun(t *testing.T) {
	p, at := showsDashboard(t, "--web", "0")
	if status, body := get(t, at); status != http.StatusOK || !strings.Contains(body, "<title>Omnipitch") {
		t.Errorf("%s: %d, %s", at, status, body)
	}
	if status, body := get(t, at+"/api/world"); status != http.StatusOK || !strings.Contains(body, `"name":"planar"`) {
		t.Errorf("the world: %d, %s", status, body)
	}
	for _, action := range []string{`{"pause": {}}`, `{"place": {"name": "ball", "x_m": 1, "y_m": 1}}`,
		`{"resume": {}}`} {
		if status := act(t, at, "", action); status != http.StatusOK {
			t.Errorf("%s: %d", action, status)
		}
	}
	u := must(url.Parse(at))(t)
	for _, c := range []struct {
		web  string
		code int
		want string
	}{
		{u.Port(), console.ExitUnavailable, "choose another port"},
		{u.Host, console.ExitUnavailable, "choose another port"},
		{"page", console.ExitBadInput, `--web = "page": must be on, off, a port, or host:port`},
		{"192.0.2.1:0", console.ExitBadInput, "192.0.2.1"},
	} {
		launch(t, "", "run", "planar", "--level", "*=truth", "--ros1", "off", "--for", "10ms", "--web", c.web).wantExit(
			c.code, c.want)
	}
	p.signal(syscall.SIGINT)
	p.end()
}

// TestDashboardForOthers checks that the printed address has a token if other machines may connect. Without the token
// nothing must be served.
func TestDashboardForOthers(t *testing.T) {
	p, at := showsDashboard(t, "--web", "0.0.0.0:0")
	u := must(url.Parse(at))(t)
	here := "http://" + net.JoinHostPort("127.0.0.1", u.Port())
	if status, body := get(t, here+"/api/world"); status != http.StatusUnauthorized ||
		strings.Contains(body, "planar") {
		t.Errorf("without the token: %d, %s", status, body)
	}
	if status, _ := get(t, here+"/?"+u.RawQuery); status != http.StatusOK || u.Query().Get("token") == "" {
		t.Errorf("with the token of %s: %d", at, status)
	}
	if status := act(t, here, u.Query().Get("token"),
		`{"place": {"name": "ball", "x_m": 1, "y_m": 1}}`); status != http.StatusOK {
		t.Errorf("a command with the token: %d", status)
	}
	if !strings.Contains(p.stderr(), "anybody who knows the address below can control the run") {
		t.Error("nobody is told that others can connect")
	}
	p.signal(syscall.SIGINT)
	p.end()
}
