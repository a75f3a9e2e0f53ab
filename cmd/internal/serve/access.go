package serve

import (
	"net/url"
	"os"
	"slices"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/access"
)

// Access holds the flags that let further hosts and web pages connect. Without these flags, a web page may connect only
// if it comes from this machine, and a program only if it addresses this machine by a name that the machine knows.
type Access struct {
	AllowHost []string `placeholder:"NAME" sep:"none" help:"Another name or address by which clients may address this machine. May be repeated."`
	Origin    []string `placeholder:"URL" sep:"none" help:"Let web pages from this origin connect, in addition to those of this machine. May be repeated."`
}

// rule returns the access rule for all servers. The rule accepts the names that the environment gives this machine:
// ROS_HOSTNAME and ROS_IP. If the master runs in this process, these names include the host in ROS_MASTER_URI. The
// function refused is called with the reason for each refused connection.
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
