package serve

import (
	"net/url"
	"os"
	"slices"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/access"
)

// Access are the flags that say who may connect besides this machine's pages, and programs that call it by its own
// name.
type Access struct {
	AllowHost []string `placeholder:"NAME" sep:"none" help:"A name or an address under which this machine is reached, besides those that it knows itself; may be given several times."`
	Origin    []string `placeholder:"URL" sep:"none" help:"Let web pages from here connect, besides those of this machine; may be given several times."`
}

// rule returns the rule for everything that listens. Names that the environment gives this machine count as well:
// ROS_HOSTNAME, ROS_IP, and the host of ROS_MASTER_URI where the master is ours.
func (f Access) rule(ownMaster bool, refused func(error)) (access.Rule, error) {
	r := access.Rule{Hosts: f.AllowHost, Origins: f.Origin, Refused: refused}
	for _, h := range f.AllowHost {
		if !access.ValidHost(h) {
			return r, console.BadInputf("--allow-host = %q: %s", h, access.HostRule)
		}
	}
	for _, o := range f.Origin {
		if !access.ValidOrigin(o) {
			return r, console.BadInputf("--origin = %q: %s", o, access.OriginRule)
		}
	}
	r.Hosts = slices.Clone(r.Hosts)
	names := []string{os.Getenv("ROS_HOSTNAME"), os.Getenv("ROS_IP")}
	if u, err := url.Parse(os.Getenv("ROS_MASTER_URI")); err == nil && ownMaster {
		names = append(names, u.Hostname())
	}
	for _, h := range names {
		if access.ValidHost(h) {
			r.Hosts = append(r.Hosts, h)
		}
	}
	return r, nil
}
