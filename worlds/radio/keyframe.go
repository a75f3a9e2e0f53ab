package radio

import "github.com/omnipitch/omnipitch/physics/keyframe"

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
		d.Data = nil // a receiver may still hold the old memory
	}
	c.Bytes(&d.Data)
}
