package radio

import "github.com/omnipitch/omnipitch/physics/keyframe"

// Exchange passes the state to a codec, with all that is under way. It passes nothing where no robot has a radio.
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
		d.Data = nil // its memory may be a receiver's
	}
	c.Bytes(&d.Data)
}
