package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/rostest"
	"github.com/omnipitch/omnipitch/testdata/must"
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
	resp := must.Get(http.DefaultClient.Do(must.Get(http.NewRequestWithContext(t.Context(), "GET", url, nil))(t)))(t)
	defer resp.Body.Close()
	text := must.Get(io.ReadAll(resp.Body))(t)
	return resp.StatusCode, string(text)
}

// act executes an action and returns the status of the answer: 200 after a step.
func act(t *testing.T, at, token, action string) int {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(t.Context(), "POST", at+"/api/do", strings.NewReader(action)))(t)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	resp := must.Get(http.DefaultClient.Do(r))(t)
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
	u := must.Get(url.Parse(at))(t)
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
	for _, flag := range []string{"--web", "--foxglove", "--rosbridge", "--player"} {
		launch(t, "", "run", "player", "--ros1", "embedded:0", "--for", "10ms", flag, u.Host).wantExit(
			console.ExitUnavailable, ": listen tcp "+u.Host+
				": bind: address already in use: stop the program that uses it, or choose another port")
	}
	p.stop()
}

// TestDashboardForOthers checks that the printed address has a token if other machines may connect. Without the token
// nothing must be served.
func TestDashboardForOthers(t *testing.T) {
	p, at := showsDashboard(t, "--web", "0.0.0.0:0")
	u := must.Get(url.Parse(at))(t)
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
	wantLines(t, p.stderr(), "anybody who knows the address below can control the run")
	p.stop()
}

// fetch sends a body to a port of this machine. The request is the one that Chrome sends without a preflight for
// fetch(url, {method: 'POST', mode: 'no-cors', body}) on a page. fetch returns the status, or 0 without an answer.
func fetch(t testing.TB, port, host, origin, body string) (status int, answer string) {
	t.Helper()
	c := must.Get(net.Dial("tcp", "127.0.0.1:"+port))(t)
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(deadline))
	_, _ = fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: %s\r\nConnection: keep-alive\r\nContent-Length: "+
		"%d\r\nsec-ch-ua-platform: \"Linux\"\r\n"+
		"User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 "+
		"Safari/537.36\r\n"+
		"Content-Type: text/plain;charset=UTF-8\r\nAccept: */*\r\nOrigin: %s\r\nSec-Fetch-Site: "+
		"cross-site\r\nSec-Fetch-Mode: no-cors\r\n"+
		"Sec-Fetch-Dest: empty\r\nReferer: %s/\r\nAccept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: "+
		"en\r\n\r\n%s",
		host, len(body), origin, origin, body)
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
			t.Errorf("port %s: the connection is open after %v, without an answer", port, deadline)
		}
		return 0, ""
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text)
}

// rpc returns an XML-RPC call whose arguments are strings.
func rpc(method string, args ...string) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<?xml version='1.0'?><methodCall><methodName>%s</methodName><params>", method)
	for _, a := range args {
		fmt.Fprintf(&b, "<param><value><string>%s</string></value></param>", a)
	}
	b.WriteString("</params></methodCall>")
	return b.String()
}

// listeners returns the ports on which a process listens.
func listeners(t testing.TB, pid int) (ports []string) {
	t.Helper()
	ours := map[string]bool{}
	fds := must.Get(filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)))(t)
	for _, fd := range fds {
		if link, err := os.Readlink(fd); err == nil {
			if inode, ok := strings.CutPrefix(link, "socket:["); ok {
				ours[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	table := must.Get(os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", pid)))(t)
	for line := range strings.Lines(string(table)) {
		const listen = "0A"
		f := strings.Fields(line)
		if len(f) < 10 || f[3] != listen || !ours[f[9]] {
			continue
		}
		_, hex, _ := strings.Cut(f[1], ":")
		port := must.Get(strconv.ParseUint(hex, 16, 16))(t)
		ports = append(ports, strconv.FormatUint(port, 10))
	}
	return ports
}

// TestNoPageReachesAnyListener sends requests of a foreign page to every port of a run. All must be refused, and so
// must requests with a host name that was made to resolve to this machine. The message sockets of ROS speak no HTTP and
// must close the connection.
func TestNoPageReachesAnyListener(t *testing.T) {
	uri, port := freeMaster(t)
	rosbridge, foxglove := rostest.FreePort(t), rostest.FreePort(t)
	sim := simulateWorld(t, uri, "planar", "--level", "*=truth", "--rosbridge", rosbridge, "--foxglove", foxglove,
		"--web", "0", "--origin", "https://good.example")
	sim.says("dashboard at")
	ports := listeners(t, sim.cmd.Process.Pid)
	speaks := map[string]bool{port: true, rosbridge: true, foxglove: true}
	// The master, rosbridge, Foxglove and the dashboard have one port each. Four nodes have a port for XML-RPC and one
	// for messages: the simulator, /rosout, and one node of each web server except the dashboard.
	if len(ports) != 4+2*4 {
		t.Errorf("listens at %d ports: %v", len(ports), ports)
	}
	for _, p := range ports {
		status, answer := fetch(t, p, "127.0.0.1:"+p, "http://evil.example", rpc("shutdown", "/evil", "x"))
		if status != 403 && status != 0 || speaks[p] && status == 0 || status == 403 && !strings.Contains(answer,
			`origin = "http://evil.example": must be a page of this machine`) {
			t.Errorf("port %s: a page of a stranger's gets status %d, %q", p, status, answer)
		}
		if status == 403 {
			speaks[p] = true
		}
		status, _ = fetch(t, p, "127.0.0.1:"+p, "https://good.example", rpc("getPid", "/good", "x"))
		if speaks[p] == (status == 403 || status == 0) {
			t.Errorf("port %s: a page that --origin names gets status %d", p, status)
		}
		for _, name := range []string{"evil.local", "evil.example", "router"} {
			if status, answer := fetch(t, p, name+":"+p, "http://"+name+":"+p,
				rpc("shutdown", "/evil", "x")); speaks[p] != (status == 403) || status == 200 {
				t.Errorf("port %s: a page of the name %s that leads here gets status %d, %q", p, name, status, answer)
			}
		}
		status, _ = fetch(t, p, "localhost:"+p, "null", rpc("shutdown", "/evil", "x"))
		if speaks[p] != (status == 403) || status == 200 {
			t.Errorf("port %s: a page without a name gets status %d", p, status)
		}
	}
	if len(speaks) != 8 {
		t.Errorf("%d ports speak HTTP: %v, want 8", len(speaks), speaks)
	}
	// One warning for each listener, not for each request. Listeners answer before they warn.
	warnings := func() (string, int) {
		text := sim.stderr()
		return text, strings.Count(text, "refused: ")
	}
	until(t, "the warnings", func() bool { _, n := warnings(); return n >= 7 })
	if text, n := warnings(); n > 14 || !strings.Contains(text, "ros master: request from 127.0.0.1:") ||
		!strings.Contains(text, "--origin") {
		t.Errorf("%d warnings:\n%s", n, text)
	}
	if sum := sim.interrupt(); sum.World != "planar" {
		t.Errorf("%+v", sum)
	}
}

// TestNoPageDrivesARobot has a page register a publisher for the commands of a robot. The simulator must not connect to
// it, but must connect to a publisher that a program registers later.
func TestNoPageDrivesARobot(t *testing.T) {
	uri, port := freeMaster(t)
	simulateWorld(t, uri, "planar", "--level", "*=truth")
	l, err := net.Listen("tcp", "127.0.0.1:0") // server of the page
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var came atomic.Int32
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			came.Add(1)
			c.Close()
		}
	}()
	evil := "http://" + l.Addr().String() + "/"
	fetch(t, port, "127.0.0.1:"+port, "http://evil.example", rpc("registerPublisher", "/evil", "/cyan2/cmd_vel",
		"geometry_msgs/Twist", evil))
	node := rosNode(t, uri, "/robot")
	// The page bypasses the master and calls the simulator directly.
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	at := must.Get(node.CallMaster(ctx, "lookupNode", "/omnipitch"))(t)
	_, slave, err := net.SplitHostPort(strings.Trim(strings.TrimPrefix(at.(string), "http://"), "/"))
	if err != nil {
		t.Fatal(err)
	}
	update := "<?xml version='1.0'?><methodCall><methodName>publisherUpdate</methodName><params><param><value>/master</value></param>" +
		"<param><value>/cyan2/cmd_vel</value></param><param><value><array><data><value>" + evil +
		"</value></data></array></value></param></params></methodCall>"
	fetch(t, slave, "127.0.0.1:"+slave, "null", update)
	pub := must.Get(ros1.Advertise[msg.Twist](node, "/cyan2/cmd_vel", "geometry_msgs/Twist", ros1.PubOptions{}))(t)
	until(t, "the simulator to connect to the program", func() bool { return pub.NumSubscribers() > 0 })
	if n := came.Load(); n > 0 {
		t.Errorf("the simulator connected to the page's server %d times", n)
	}
}

// TestAllowHost checks that --allow-host makes the master and nodes accept a host name that this machine does not know.
func TestAllowHost(t *testing.T) {
	uri, port := freeMaster(t)
	master := launch(t, uri, "master", "--port", port, "--allow-host", "simulator.example", "--origin",
		"https://good.example")
	master.says("ROS 1 master at " + uri)
	get := func(host, origin string) int {
		req := must.Get(http.NewRequest("POST", uri, strings.NewReader(rpc("getPid", "/x"))))(t)
		req.Host = host
		req.Header.Set("Content-Type", "text/xml")
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		resp := must.Get(http.DefaultClient.Do(req))(t)
		resp.Body.Close()
		return resp.StatusCode
	}
	if s := get("simulator.example:"+port, ""); s != 200 {
		t.Errorf("under the name that --allow-host gives: status %d", s)
	}
	if s := get("127.0.0.1:"+port, "https://good.example"); s != 200 {
		t.Errorf("from the page that --origin lets in: status %d", s)
	}
	if s := get("other.example:"+port, ""); s != 403 {
		t.Errorf("under another name: status %d", s)
	}
	for _, c := range []struct{ flag, value, want string }{
		{"--allow-host", "http://x",
			`--allow-host = "http://x": must be a name or an address, without protocol, port and`},
		{"--allow-host", "*", `--allow-host = "\*": must be a name or an address, without protocol, port and \*`},
		{"--origin", "ftp://a", `--origin = "ftp://a": must be http://host or https://host, .* or \* for all`},
		{"--origin", "example.org", `--origin = "example.org": must be http://host`},
	} {
		for _, args := range [][]string{{"master"}, {"run", "planar"}} {
			refuses(t, console.ExitBadInput, c.want, append(args, c.flag, c.value)...)
		}
	}
}
