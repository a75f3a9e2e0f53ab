package access

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Rule allows requests in addition to requests from pages of this machine to names of this machine. The zero value
// allows no additional requests.
type Rule struct {
	Hosts   []string    // further names and addresses of this machine
	Origins []string    // origins of pages, such as https://example.org; * allows all
	Refused func(error) // called, from any goroutine, with the errors of some refused requests; if nil, they are logged
}

// Violations returns one error for each violation.
func (r Rule) Violations() (errs []error) {
	for i, h := range r.Hosts {
		if !ValidHost(h) {
			errs = append(errs, fmt.Errorf("hosts[%d] = %q: %s", i, h, HostRule))
		}
	}
	for i, o := range r.Origins {
		if !ValidOrigin(o) {
			errs = append(errs, fmt.Errorf("origins[%d] = %q: %s", i, o, OriginRule))
		}
	}
	return errs
}

// HostRule and OriginRule describe what ValidHost and ValidOrigin check.
const (
	HostRule   = "must be a name or an address, without protocol, port and *"
	OriginRule = "must be http://host or https://host, with or without :port, or * for all"
)

// ValidHost reports whether a text is an address or can be a host name.
func ValidHost(h string) bool {
	_, err := netip.ParseAddr(h)
	return err == nil || h != "" && !strings.ContainsAny(h, ":/ []@?#*")
}

// ValidOrigin reports whether a text is an origin as browsers send it, or *.
func ValidOrigin(o string) bool {
	u, err := url.Parse(o)
	return o == "*" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.Path == ""
}

// allows reports whether an origin is configured.
func (r Rule) allows(origin string) bool {
	return slices.ContainsFunc(r.Origins, func(a string) bool { return a == "*" || strings.EqualFold(a, origin) })
}

// Guard applies a Rule to one listener's requests.
type Guard struct {
	rule    Rule
	name    string
	machine *machine
	report  func(error)
	limit   *rate.Limiter // of reports
	skipped atomic.Int64  // number of refused requests since the last report
}

// reportEvery is the shortest time between two reports, because a page can send thousands of requests per second.
const reportEvery = 5 * time.Second

// Guard returns the guard of one listener. name names the listener in messages. log may be nil. hosts are the names of
// this machine in the URIs that the listener gives out.
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

// Admit reports whether a request may be served. If it may not be served, Admit sends a response with the reason.
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

// check returns an error if the request may come from a page of another machine, through a browser.
func (g *Guard) check(r *http.Request) error {
	// Browsers always send Host; HTTP/1.0 programs may not.
	if r.Host != "" && !g.machine.owns(hostname(r.Host), true) {
		return fmt.Errorf("host = %.80q: must be a name or an address of this machine, or one that --allow-host names",
			r.Host)
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return g.checkSite(r)
	}
	if g.rule.allows(origin) {
		return nil
	}
	// Names in the hosts file do not count here, because lists of blocked sites map such names to loopback.
	if u, err := url.Parse(origin); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
		!g.machine.owns(u.Hostname(), false) {
		return fmt.Errorf("origin = %.80q: must be a page of this machine, or one that --origin names", origin)
	}
	return nil
}

// checkSite returns an error if a request without Origin comes from a page of another origin. Browsers omit Origin if a
// page loads an image, a script or a frame, but state in Sec-Fetch-Site how the page's origin relates to the server's.
// A user who follows a link to the listener's page is served.
func (g *Guard) checkSite(r *http.Request) error {
	site := r.Header.Get("Sec-Fetch-Site")
	if site == "" || site == "same-origin" || site == "none" || slices.Contains(g.rule.Origins, "*") {
		return nil
	}
	if r.Method == http.MethodGet && r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document" {
		return nil
	}
	return fmt.Errorf("Sec-Fetch-Site = %.80q: must be same-origin or none: a page of another origin may not load this",
		site)
}

// refused reports a refused request, at most once per reportEvery.
func (g *Guard) refused(from string, err error) {
	if !g.limit.Allow() {
		g.skipped.Add(1)
		return
	}
	more := ""
	if n := g.skipped.Swap(0); n > 0 {
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
