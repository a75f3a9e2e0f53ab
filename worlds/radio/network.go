package radio

import (
	"hash/fnv"
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// MaxBytes is the size, in bytes, of the largest message. It is what fits into a UDP datagram over IPv4. Source: RFC
// 768 and RFC 791: 65535 bytes, less headers of 8 and 20 bytes.
const MaxBytes = 65507

// maxUnderWay is the most bytes that all messages under way may have. A message counts once for each receiver. Messages
// beyond the limit are lost. The value is a guess: a team that uses all the bandwidth the league allows, with the
// longest delay, has 11 MB under way.
const maxUnderWay = 16 << 20

// Station holds the properties of a robot that matter to the radio.
type Station struct {
	Robot string
	Team  physics.Team
	*Config
}

// Message is a message that a robot has sent.
type Message struct {
	From  int           // index of the station that sent the message
	Topic string        // relayed topic of the sender's program; empty for plain messages
	Sent  time.Duration // sim time at which the sender's radio took the message
	Data  []byte        // content; must not change after the message is sent
}

// Report holds the counts of the messages of a robot.
type Report struct {
	Robot string
	Sent  uint64 // number of messages sent on the air
	Bytes uint64 // number of bytes of the messages in Sent
	// number of messages not sent: the radio was off, its queue was full, or the message was larger than MaxBytes
	Dropped  uint64
	Received uint64 // number of messages received from teammates
	// number of messages from teammates that were lost: by chance, out of range, or while this radio was off
	Lost uint64
}

// Status is the present state of a robot's radio.
type Status struct {
	Report
	Off      bool
	Largest  int           // size of the largest message sent, in bytes
	UnderWay int           // number of messages to the robot that are under way
	Heard    time.Duration // sim time at which the last message reached the robot; valid if Received > 0
	Delay    time.Duration // from the time at which that message was sent until then
}

// Network holds the radios of all teams.
type Network struct {
	seed     uint64
	stations []station
	underWay []delivery // messages under way; the message that is due next comes first
	bytes    int        // number of bytes of the messages in underWay
}

type station struct {
	Station
	item    uint64 // address, derived from the robot's name, of the random numbers for messages to the robot
	mates   []int
	off     bool
	free    time.Duration // sim time at which the robot's last message has been sent completely
	number  uint64        // running number of the robot's next message
	largest int           // as Status.Largest
	heard   time.Duration // as in Status
	delay   time.Duration // as in Status
	Report
}

// delivery is a message under way to one teammate.
type delivery struct {
	due time.Duration
	to  int
	Message
}

// New returns a network of stations. A station with a nil Config has no radio.
func New(seed uint64, stations []Station) *Network {
	n := &Network{seed: seed, stations: make([]station, len(stations))}
	for i, s := range stations {
		h := fnv.New64a()
		h.Write([]byte(s.Robot)) // Write of a hash.Hash never returns an error
		n.stations[i] = station{Station: s, item: h.Sum64(), Report: Report{Robot: s.Robot}}
		if s.Config == nil {
			continue
		}
		n.stations[i].off = s.Off
		for k, mate := range stations {
			if k != i && mate.Config != nil && mate.Team == s.Team {
				n.stations[i].mates = append(n.stations[i].mates, k)
			}
		}
	}
	return n
}

// Silent reports whether no robot has a radio.
func (n *Network) Silent() bool {
	return !slices.ContainsFunc(n.stations, func(s station) bool { return s.Config != nil })
}

// Switch switches a robot's radio on or off. A message is lost if the receiver's radio is off when the message is due.
func (n *Network) Switch(robot int, on bool) { n.stations[robot].off = !on }

// Indices of the streams of random numbers for messages.
const (
	streamLoss uint16 = iota
	streamJitter
)

// Send sends a message from a robot that has a radio. The argument state gives the positions of the robots.
func (n *Network) Send(m Message, state *physics.Snapshot) {
	s, now := &n.stations[m.From], state.Time
	begin := max(s.free, now)
	if s.off || len(m.Data) > MaxBytes || begin-now > s.Queue {
		s.Dropped++
		return
	}
	s.free = begin + s.onAir(len(m.Data))
	draws := random.New(n.seed, s.Station.Robot, "(radio)", s.number) // no sensor has this name
	s.number++
	s.Sent++
	s.Bytes += uint64(len(m.Data))
	s.largest = max(s.largest, len(m.Data))
	m.Sent = now
	for _, to := range s.mates {
		mate := &n.stations[to]
		if !mate.Relays(m.Topic) {
			continue
		}
		if s.reaches(state, m.From, to) && draws.Uniform(random.Index(streamLoss, mate.item)) >= s.Loss &&
			n.bytes+len(m.Data) <= maxUnderWay {
			x, _ := draws.Normal(random.Index(streamJitter, mate.item))
			n.add(delivery{s.free + max(0, s.Delay+time.Duration(math.Round(x*float64(s.Jitter)))), to, m})
		} else {
			mate.Lost++
		}
	}
}

// onAir returns how long it takes to send a message of the given size, in bytes.
func (s *station) onAir(size int) time.Duration {
	if s.Bandwidth == 0 {
		return 0
	}
	return time.Duration(math.Round(float64(8*size) / s.Bandwidth * float64(time.Second)))
}

// reaches reports whether the receiver is within the range of the sender's radio. Both are given by their indices.
func (s *station) reaches(state *physics.Snapshot, sender, receiver int) bool {
	return s.Range == 0 || state.Robots[receiver].PoseWB.Pos.Sub(state.Robots[sender].PoseWB.Pos).Len() <= s.Range
}

func (n *Network) add(d delivery) {
	i := len(n.underWay)
	for i > 0 && n.underWay[i-1].due > d.due {
		i--
	}
	n.underWay = slices.Insert(n.underWay, i, d)
	n.bytes += len(d.Data)
}

// Deliver calls receive with each message that is due, in the order of their due times. Messages that are due at the
// same time come in the order in which they were sent. The Message is valid only during the call, but its Data stays
// valid.
func (n *Network) Deliver(now time.Duration, receive func(to int, m *Message)) {
	done := 0
	for ; done < len(n.underWay) && n.underWay[done].due <= now; done++ {
		d := &n.underWay[done]
		n.bytes -= len(d.Data)
		if to := &n.stations[d.to]; to.off {
			to.Lost++
		} else {
			to.Received++
			to.heard, to.delay = now, now-d.Sent
			receive(d.to, &d.Message)
		}
	}
	n.underWay = slices.Delete(n.underWay, 0, done)
}

// Reports returns the counts for the robots that have a radio, in the order of the robots.
func (n *Network) Reports() (all []Report) {
	for i := range n.stations {
		if n.stations[i].Config != nil {
			all = append(all, n.stations[i].Report)
		}
	}
	return all
}

// AppendStatus appends the present state of each radio, in the order of the stations, to a slice. For a station without
// a radio it appends the zero Status.
func (n *Network) AppendStatus(all []Status) []Status {
	first := len(all)
	for i := range n.stations {
		s := &n.stations[i]
		if s.Config == nil {
			all = append(all, Status{})
			continue
		}
		all = append(all, Status{Report: s.Report, Off: s.off, Largest: s.largest, Heard: s.heard, Delay: s.delay})
	}
	for i := range n.underWay {
		all[first+n.underWay[i].to].UnderWay++
	}
	return all
}

// Exchange saves or restores the state of the radios, including all messages that are under way. It does nothing if no
// robot has a radio.
func (n *Network) Exchange(c *keyframe.Codec) {
	if n.Silent() {
		return
	}
	for i := range n.stations {
		n.stations[i].Exchange(c)
	}
	keyframe.Slice(c, &n.underWay, n.exchange)
	if c.Restoring() {
		n.bytes = 0
		for i := range n.underWay {
			n.bytes += len(n.underWay[i].Data)
			c.Check(i == 0 || n.underWay[i-1].due <= n.underWay[i].due, "messages under way are in no order")
		}
	}
}

func (s *station) Exchange(c *keyframe.Codec) {
	c.Bool(&s.off)
	c.Duration(&s.free)
	c.Uint(&s.number)
}

func (n *Network) exchange(d *delivery, c *keyframe.Codec) {
	c.Duration(&d.due)
	c.Index(&d.to, 0, len(n.stations))
	c.Index(&d.From, 0, len(n.stations))
	keyframe.Text(c, &d.Topic)
	c.Duration(&d.Sent)
	if c.Restoring() {
		d.Data = nil // makes c.Bytes allocate, because a receiver may still use the old bytes
	}
	c.Bytes(&d.Data)
}
