package rtps

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Range says which participants are found.
type Range int

// The ranges of ROS_AUTOMATIC_DISCOVERY_RANGE.
const (
	Localhost Range = iota // those on this machine; datagrams of other machines are dropped
	Subnet                 // those that multicast reaches
	Off                    // none
)

// Config configures a participant. The zero value is a participant of domain 0 that finds others on this machine.
type Config struct {
	Domain      int   // ROS_DOMAIN_ID, 0 to 232
	Range       Range // which participants are found
	StaticPeers []netip.Addr
	// Multicast also uses the multicast group on loopback, for peers that are started with ROS_LOCALHOST_ONLY. With
	// Subnet, multicast is always used.
	Multicast bool
	UserData  string        // such as "enclave=/;"
	Lease     time.Duration // after this time without a word from us, peers forget us; default 20 s
	Limits    Limits
	// OnEndpoint receives every writer and reader of other participants that appears or disappears, matched or not.
	OnEndpoint func(e Endpoint, present bool)

	drop func(datagram []byte) bool // tests lose the datagrams that are received and for which drop returns true
}

// Limits bounds what peers can cost. What exceeds a limit is refused and counted. 0 means the default.
type Limits struct {
	Participants int // others' participants; 128
	Endpoints    int // writers and readers of one of these; 1024
	Sample       int // bytes of a received sample; 64 MiB
	Received     int // bytes of all samples that are incomplete or wait for a callback; 256 MiB
	History      int // bytes of all samples that writers keep; 512 MiB
}

const maxDomain = 232 // the ports of higher domains exceed 65,535

// Validate returns all violations.
func (c *Config) Validate() error {
	var errs []error
	if c.Domain < 0 || c.Domain > maxDomain {
		errs = append(errs, fmt.Errorf("domain = %d: must lie in [0, %d]", c.Domain, maxDomain))
	}
	if c.Range < Localhost || c.Range > Off {
		errs = append(errs, fmt.Errorf("range = %d: must be Localhost, Subnet or Off", c.Range))
	}
	for i, a := range c.StaticPeers {
		if !a.Is4() {
			errs = append(errs, fmt.Errorf("static_peers[%d] = %v: must be an IPv4 address", i, a))
		}
	}
	if c.Lease != 0 && c.Lease < time.Second {
		errs = append(errs, fmt.Errorf("lease = %v: must be at least 1 s", c.Lease))
	}
	if len(c.UserData) > maxUserData {
		errs = append(errs, fmt.Errorf("user_data has %d bytes: must have at most %d", len(c.UserData), maxUserData))
	}
	l := c.Limits
	if min(l.Participants, l.Endpoints, l.Sample, l.Received, l.History) < 0 {
		errs = append(errs, errors.New("limits: must not be negative"))
	}
	return errors.Join(errs...)
}

func (c *Config) setDefaults() {
	c.Lease = cmp.Or(c.Lease, 20*time.Second) // as rmw_fastrtps
	l := &c.Limits
	l.Participants = cmp.Or(l.Participants, 128)
	l.Endpoints = cmp.Or(l.Endpoints, 1024)
	l.Sample = cmp.Or(l.Sample, 64<<20)
	l.Received = cmp.Or(l.Received, 256<<20)
	l.History = cmp.Or(l.History, 512<<20)
}

// wide reports whether the sockets have to reach other machines.
func (c *Config) wide() bool {
	wide := c.Range == Subnet
	for _, a := range c.StaticPeers {
		wide = wide || c.Range != Off && !a.IsLoopback()
	}
	return wide
}

// FromEnv sets domain, range and static peers from the variables of ROS 2, of which getenv returns the values. Iron and
// later distributions have the range; with ROS_LOCALHOST_ONLY=1, Humble's variable, others are found on this machine
// only. A variable that is not set changes nothing.
func (c *Config) FromEnv(getenv func(string) string) error {
	if s := getenv("ROS_DOMAIN_ID"); s != "" {
		d, err := strconv.Atoi(s)
		if err != nil || d < 0 || d > maxDomain {
			return fmt.Errorf("ROS_DOMAIN_ID = %s: must be a number in [0, %d]", s, maxDomain)
		}
		c.Domain = d
	}
	switch s := getenv("ROS_AUTOMATIC_DISCOVERY_RANGE"); s {
	case "":
	case "SUBNET", "SYSTEM_DEFAULT":
		c.Range = Subnet
	case "LOCALHOST":
		c.Range = Localhost
	case "OFF":
		c.Range = Off
	default:
		return fmt.Errorf("ROS_AUTOMATIC_DISCOVERY_RANGE = %s: must be SUBNET, LOCALHOST, OFF or SYSTEM_DEFAULT", s)
	}
	switch s := getenv("ROS_LOCALHOST_ONLY"); s {
	case "", "0":
	case "1":
		c.Range, c.Multicast = Localhost, true
	default:
		return fmt.Errorf("ROS_LOCALHOST_ONLY = %s: must be 0 or 1", s)
	}
	for s := range strings.SplitSeq(getenv("ROS_STATIC_PEERS"), ";") {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		a, err := netip.ParseAddr(s)
		if err != nil || !a.Is4() {
			return fmt.Errorf("ROS_STATIC_PEERS: %q: must be an IPv4 address", s)
		}
		c.StaticPeers = append(c.StaticPeers, a)
	}
	return nil
}
