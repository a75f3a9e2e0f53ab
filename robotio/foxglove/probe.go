package foxglove

import (
	"context"
	"errors"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// probeTopic queries the definition of a topic from its publishers until one answers, and advertises the channel.
func (c *catalog) probeTopic(topic string, e *entry[channel], by []string) {
	ctx, cancel := context.WithTimeout(c.ctx, probeTime)
	defer cancel()
	var def *msg.Definition
	err := errors.New("no publisher")
	for _, node := range by {
		if def, err = ros1.ProbeTopic(ctx, c.node, topic, node); err == nil {
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e.probing = false
	if err != nil || c.channels[topic] != e {
		e.retry = time.Now().Add(retryTime)
		return
	}
	if e.advertised != nil && e.md5 == def.MD5 && e.advertised.SchemaName == def.Name {
		return
	}
	if gone := c.withdraw(e, nil); gone != nil {
		c.send(map[string]any{"op": "unadvertise", "channelIds": gone})
	}
	e.md5, e.advertised = def.MD5, &channel{c.newID(), topic, "ros1", def.Name, def.Text, "ros1msg"}
	c.send(map[string]any{"op": "advertise", "channels": []*channel{e.advertised}})
}

// probeService queries the type of a service from its server and advertises the service.
func (c *catalog) probeService(name string, e *entry[service]) {
	ctx, cancel := context.WithTimeout(c.ctx, probeTime)
	defer cancel()
	h, err := ros1.ProbeService(ctx, c.node, name)
	var def *msg.ServiceDefinition
	if err == nil {
		def, err = c.node.ServiceType(h.Type)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e.probing = false
	if err != nil || def.MD5 != h.MD5 || c.services[name] != e {
		e.retry = time.Now().Add(retryTime)
		return
	}
	if e.advertised != nil && e.md5 == def.MD5 && e.advertised.Type == def.Name {
		return
	}
	if e.advertised != nil {
		c.send(map[string]any{"op": "unadvertiseServices", "serviceIds": []uint32{e.advertised.ID}})
	}
	half := func(m *msg.Definition) serviceHalf { return serviceHalf{"ros1", m.Name, "ros1msg", m.Text} }
	e.md5, e.advertised = def.MD5, &service{c.newID(), name, def.Name, half(def.Request), half(def.Response),
		def.Request.Text, def.Response.Text}
	c.send(map[string]any{"op": "advertiseServices", "services": []*service{e.advertised}})
}
