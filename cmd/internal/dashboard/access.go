package dashboard

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
)

// cookie is the name of the cookie that stores the token. Browsers send it to all ports of a host, so the name contains
// the port.
func (s *Server) cookie() string {
	_, port, _ := net.SplitHostPort(s.addr.String())
	return "omnipitch_dashboard_" + port
}

// newToken returns a token for a listener at an address, host:port. It returns "" if only this machine can reach the
// address.
func newToken(addr string) string {
	host, _, _ := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return ""
	}
	return rand.Text()
}

// admitToken reports whether a request has the token, in its cookie or its header. It answers any other request itself.
// A request for the printed URL, which contains the token, gets the cookie. All others are refused.
func (s *Server) admitToken(w http.ResponseWriter, r *http.Request) bool {
	if s.token == "" {
		return true
	}
	if q := r.URL.Query(); r.Method == http.MethodGet && r.URL.Path == "/" && s.isToken(q.Get("token")) {
		http.SetCookie(w, &http.Cookie{Name: s.cookie(), Value: s.token, Path: "/", HttpOnly: true,
			SameSite: http.SameSiteStrictMode})
		w.Header().Set("Refresh", "0; url=/") // after a redirect, browsers would not send a strict cookie
		return false
	}
	if c, err := r.Cookie(s.cookie()); err == nil && s.isToken(c.Value) {
		return true
	}
	if t, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && s.isToken(t) {
		return true
	}
	w.Header().Set("Connection", "close")
	http.Error(w, "dashboard: token: must be given: open the address that omnipitch has printed, or send the header "+
		"Authorization: Bearer TOKEN", http.StatusUnauthorized)
	return false
}

func (s *Server) isToken(t string) bool {
	return subtle.ConstantTimeCompare([]byte(t), []byte(s.token)) == 1
}

// URL returns the page's address for a browser, with the token if one is needed. It contains this machine's name if the
// server listens at all its addresses.
func (s *Server) URL() string {
	u := url.URL{Scheme: "http", Host: s.addr.String()}
	if host, port, _ := net.SplitHostPort(u.Host); net.ParseIP(host).IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			u.Host = net.JoinHostPort(name, port)
		}
	}
	if s.token != "" {
		u.Path, u.RawQuery = "/", url.Values{"token": {s.token}}.Encode()
	}
	return u.String()
}

// admitOrigin reports whether a request comes from the server's own page, from an origin that --origin names, or from
// no page. It refuses any other request, for example from the page of another server on this machine.
func (s *Server) admitOrigin(w http.ResponseWriter, r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || strings.EqualFold(origin, "http://"+r.Host) || slices.ContainsFunc(s.origins,
		func(o string) bool { return o == "*" || strings.EqualFold(o, origin) }) {
		return true
	}
	w.Header().Set("Connection", "close")
	http.Error(w, fmt.Sprintf("dashboard: origin = %.80q: must be the dashboard's own page, or one that --origin names",
		origin), http.StatusForbidden)
	return false
}
