package recording

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// ROSChannel adds a topic whose messages def defines, as the node callerid publishes them, with the metadata of MCAP's profile ros1.
func (w *Writer) ROSChannel(topic string, def *msg.Definition, callerid string, latching bool) (*Channel, error) {
	return w.Channel(topic, Schema{def.Name, def.Text}, map[string]string{"callerid": callerid, "latching": strconv.FormatBool(latching), "md5sum": def.MD5})
}

// TopicsConfig says which topics of a graph are recorded, and how.
type TopicsConfig struct {
	Patterns Patterns
	Images   ImageFormat // of topics of sensor_msgs/Image
	// Now returns the log time and the publish time of a message that arrives. It is called from many goroutines.
	Now func() (logTime, publishTime time.Duration)
}

// Validate reports every value that is out of range.
func (c TopicsConfig) Validate() error {
	return errors.Join(c.Images.validate(), c.Patterns.Validate())
}

// Topics records what is published in a graph.
type Topics struct {
	writer *Writer
	node   *ros1.Node
	cfg    TopicsConfig
	match  *regexp.Regexp
	cancel context.CancelFunc
	done   chan struct{}

	mu    sync.Mutex
	subs  map[string]*ros1.Subscriber // by topic
	graph *graph.State                // as it was last
}

// pollTime is how often the graph is looked at for new topics, wall time. A guess.
const pollTime = 500 * time.Millisecond

// Topics has a node subscribe to the topics that match, also to those that come later, and records their messages byte for byte as a
// subscriber gets them, a channel for each publisher. A topic that somebody subscribes to is subscribed to before it has a publisher, so that
// its first message is recorded. The caller closes the Topics before the Writer and the node. It fails when the master does not answer.
func (w *Writer) Topics(n *ros1.Node, c TopicsConfig) (*Topics, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("recording %s: %w", w.file.out.Path(), err)
	}
	t := &Topics{writer: w, node: n, cfg: c, match: c.Patterns.Compile(), subs: map[string]*ros1.Subscriber{}, done: make(chan struct{})}
	var ctx context.Context
	ctx, t.cancel = context.WithCancel(w.ctx)
	if err := t.poll(ctx); err != nil {
		t.cancel()
		close(t.done)
		return nil, errors.Join(fmt.Errorf("recording %s: %w", w.file.out.Path(), err), t.Close())
	}
	go func() {
		defer close(t.done)
		for {
			w.opts.Wall.Wait(ctx, w.opts.Wall.Now()+pollTime)
			if ctx.Err() != nil {
				return
			}
			_ = t.poll(ctx) // a master that does not answer will be asked again
		}
	}()
	return t, nil
}

// poll subscribes to what is new in the graph.
func (t *Topics) poll(ctx context.Context) error {
	g, err := t.node.Graph(ctx)
	if err != nil {
		return err
	}
	var topics []string
	for _, by := range []map[string][]string{g.Publishers, g.Subscribers} {
		for topic := range by {
			if t.match.MatchString(topic) {
				topics = append(topics, topic)
			}
		}
	}
	slices.Sort(topics)
	var errs []error
	for _, topic := range slices.Compact(topics) {
		t.mu.Lock()
		_, there := t.subs[topic]
		t.mu.Unlock()
		if there {
			continue
		}
		sub, err := ros1.SubscribeRaw(t.node, topic, t.recorder(topic))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		sub.Confirm()
		t.mu.Lock()
		t.subs[topic] = sub
		t.mu.Unlock()
	}
	t.mu.Lock()
	t.graph = g
	t.mu.Unlock()
	return errors.Join(errs...)
}

// Connected says whether all publishers of the topics list their connections, as the graph was last looked at: what they publish from then on is recorded.
func (t *Topics) Connected() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for topic, sub := range t.subs {
		if len(sub.Connections()) < len(t.graph.Publishers[topic]) {
			return false
		}
	}
	return true
}

// origin tells publishers of a topic apart; one that comes back is the same.
type origin struct {
	publisher, typ, md5 string
	latched             bool
}

// sink takes messages: a Channel or an Images.
type sink interface {
	Write(logTime, publishTime time.Duration, data []byte)
}

// recorder returns what records the messages of a topic. It is called for one message at a time.
func (t *Topics) recorder(topic string) func(from *ros1.Source, b []byte) {
	var newest *ros1.Source
	var to sink
	sinks := map[origin]sink{}
	return func(from *ros1.Source, b []byte) {
		if from != newest {
			key := origin{from.Publisher, from.Def.Name, from.Def.MD5, from.Latched}
			if sinks[key] == nil {
				s, err := t.sink(topic, from)
				if err != nil {
					t.writer.end(err)
					return
				}
				sinks[key] = s
			}
			newest, to = from, sinks[key]
		}
		logTime, publishTime := t.cfg.Now()
		to.Write(logTime, publishTime, b)
	}
}

func (t *Topics) sink(topic string, from *ros1.Source) (sink, error) {
	if t.cfg.Images != RawImages && from.Def.Name == imageType {
		return t.writer.Images(topic, t.cfg.Images, from.Def, from.Publisher)
	}
	return t.writer.ROSChannel(topic, from.Def, from.Publisher, from.Latched)
}

// Close leaves all topics. What has arrived is recorded. It fails when the master does not answer.
func (t *Topics) Close() error {
	t.cancel()
	<-t.done
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	for topic, sub := range t.subs {
		errs = append(errs, sub.Close())
		delete(t.subs, topic)
	}
	return errors.Join(errs...)
}
