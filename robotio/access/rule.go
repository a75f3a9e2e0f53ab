package access

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Rule says which requests are served besides those of this machine's pages and under this machine's names. The zero
// value serves no others.
type Rule struct {
	Hosts   []string    // names and addresses under which this machine is reached, besides its own
	Origins []string    // of pages, such as https://example.org; * is all
	Refused func(error) // gets refused requests, a few of many, from any goroutine; nil: the listener's log does
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

// The rules of ValidHost and ValidOrigin, for messages.
const (
	HostRule   = "must be a name or an address, without protocol and port; * is neither"
	OriginRule = "must be http://host or https://host, with or without :port, or * for all"
)

// ValidHost says whether a text may be a host's name or is an address.
func ValidHost(h string) bool {
	_, err := netip.ParseAddr(h)
	return err == nil || h != "" && !strings.ContainsAny(h, ":/ []@?#*")
}

// ValidOrigin says whether a text is an origin as browsers send it, or * for all.
func ValidOrigin(o string) bool {
	u, err := url.Parse(o)
	return o == "*" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.Path == ""
}

// allows says whether pages of an origin are configured.
func (r Rule) allows(origin string) bool {
	return slices.ContainsFunc(r.Origins, func(a string) bool { return a == "*" || strings.EqualFold(a, origin) })
}
