package web

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
)

// checkOrigin fails where a browser says that the page which connects is a stranger's. Programs send no origin.
//
// Pages of this machine may connect, and pages of the host that the server was reached at. The latter holds only for
// hosts that no stranger can make up: addresses, names without a dot, and this machine's own. A name of the public
// domain name system could be made to lead here by whoever owns it (DNS rebinding).
func checkOrigin(r *http.Request, allowed []string) error {
	origin := r.Header.Get("Origin")
	if origin == "" || slices.Contains(allowed, "*") {
		return nil
	}
	if slices.ContainsFunc(allowed, func(a string) bool { return strings.EqualFold(a, origin) }) {
		return nil
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return fmt.Errorf("origin = %.80q: must be scheme://host", origin)
	}
	page := u.Hostname()
	switch page {
	case "localhost", "127.0.0.1", "::1":
		return nil
	}
	if strings.EqualFold(page, hostname(r.Host)) && private(page) {
		return nil
	}
	return fmt.Errorf("origin = %.80q: must be this machine, the server's host, or an origin that is configured", origin)
}

func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

// private says whether no stranger can have made up a host.
func private(host string) bool {
	own, _ := os.Hostname()
	return net.ParseIP(host) != nil || !strings.Contains(host, ".") || strings.HasSuffix(host, ".local") || strings.EqualFold(host, own)
}
