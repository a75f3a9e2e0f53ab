package access

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Guard applies a Rule to one listener's requests.
type Guard struct {
	rule    Rule
	name    string
	machine *machine
	report  func(error)
	limit   *rate.Limiter // of reports
	leftOut atomic.Int64  // refused requests since the last report
}

// reportEvery is how often at most a refused request is reported: a page can send thousands a second.
const reportEvery = 5 * time.Second

// Guard returns the guard of one listener. Messages name it by name; log may be nil; hosts are the names of this
// machine in the listener's own URIs.
func (r Rule) Guard(name string, log *slog.Logger, hosts ...string) *Guard {
	g := &Guard{rule: r, name: name, machine: newMachine(slices.Concat(r.Hosts, hosts)), report: r.Refused,
		limit: rate.NewLimiter(rate.Every(reportEvery), 1)}
	if g.report == nil {
		g.report = func(err error) {
			if log != nil {
				log.Warn(err.Error())
			}
		}
	}
	return g
}

// Admit says whether a request may be served. Where it may not, Admit answers it with the reason.
func (g *Guard) Admit(w http.ResponseWriter, r *http.Request) bool {
	err := g.check(r)
	if err == nil {
		return true
	}
	g.refused(r.RemoteAddr, err)
	w.Header().Set("Connection", "close")
	http.Error(w, g.name+": "+err.Error(), http.StatusForbidden)
	return false
}

// check fails where a browser may have sent a request for a page that is not this machine's.
func (g *Guard) check(r *http.Request) error {
	// A request without a Host, as HTTP/1.0 has it, is no browser's.
	if r.Host != "" && !g.machine.owns(hostname(r.Host), true) {
		return fmt.Errorf("host = %.80q: must be a name or an address of this machine, or one that --allow-host names",
			r.Host)
	}
	origin := r.Header.Get("Origin")
	if origin == "" || g.rule.allows(origin) {
		return nil
	}
	// Names of the hosts file do not count here: lists of blocked sites map those to loopback.
	if u, err := url.Parse(origin); err != nil || u.Host == "" || !g.machine.owns(u.Hostname(), false) {
		return fmt.Errorf("origin = %.80q: must be a page of this machine, or one that --origin names", origin)
	}
	return nil
}

// refused reports a request, unless it reported one less than reportEvery ago.
func (g *Guard) refused(from string, err error) {
	if !g.limit.Allow() {
		g.leftOut.Add(1)
		return
	}
	more := ""
	if n := g.leftOut.Swap(0); n > 0 {
		more = fmt.Sprintf(" (and %d more since)", n)
	}
	g.report(fmt.Errorf("%s: request from %s refused: %w%s", g.name, from, err, more))
}

// hostname returns the host of a Host header without its port.
func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}
