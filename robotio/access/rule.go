package access

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Rule allows requests besides those of this machine's pages and names. The zero value allows no others.
type Rule struct {
	Hosts   []string    // further names and addresses of this machine
	Origins []string    // origins of pages, such as https://example.org; * allows all
	Refused func(error) // called with some of the refused requests, from any goroutine; nil: they are logged
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
