package dashboard

import (
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// cookie is the name of the cookie that keeps the token in a browser, which sends it to all ports of this machine.
func (s *Server) cookie() string {
	_, port, _ := net.SplitHostPort(s.addr.String())
	return "omnipitch_dashboard_" + port
}

// private tells whether this machine alone reaches an address, host:port.
func private(addr string) bool {
	host, _, _ := net.SplitHostPort(addr)
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// newToken returns a token for a listener at an address; where only this machine reaches it there is none, and the text
// is empty.
func newToken(addr string) string {
	if private(addr) {
		return ""
	}
	return rand.Text()
}

// admitToken says whether a request has the token, and answers it where it has not. The address that is printed brings
// a browser the cookie.
func (s *Server) admitToken(w http.ResponseWriter, r *http.Request) bool {
	if s.token == "" {
		return true
	}
	if q := r.URL.Query(); r.Method == http.MethodGet && r.URL.Path == "/" && s.isToken(q.Get("token")) {
		http.SetCookie(w, &http.Cookie{Name: s.cookie(), Value: s.token, Path: "/", HttpOnly: true,
			SameSite: http.SameSiteStrictMode})
		w.Header().Set("Refresh", "0; url=/") // a redirection would not send a strict cookie that it sets
		return false
	}
	if c, err := r.Cookie(s.cookie()); err == nil && s.isToken(c.Value) {
		return true
	}
	if t, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && s.isToken(t) {
		return true
	}
	http.Error(w, "dashboard: token: must be given: open the address that omnipitch has printed, or send the header "+
		"Authorization: Bearer TOKEN", http.StatusUnauthorized)
	return false
}

func (s *Server) isToken(t string) bool {
	return subtle.ConstantTimeCompare([]byte(t), []byte(s.token)) == 1
}

// URL is where a browser finds the page, with the token where one is needed: by this machine's name where it listens at
// all of its addresses.
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
