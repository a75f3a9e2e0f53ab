package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// registry is the bucket with an entry for each sweep.
const registry = "omnipitch_sweeps"

// Entry is the description of a sweep that a worker reads before it takes a job.
type Entry struct {
	ID       string        `json:"id"`
	Name     string        `json:"name"`
	Version  string        `json:"version"` // version of the coordinator's program
	Probe    string        `json:"probe"`   // state hash of Probe on the coordinator's machine
	Programs bool          `json:"programs"`
	Record   bool          `json:"record"` // record failed runs
	Lease    time.Duration `json:"lease_ns"`
	Jobs     int           `json:"jobs"`
	Queued   bool          `json:"queued"` // every job is in the queue or has a result
	Done     bool          `json:"done"`
}

// Prefixes of the keys in the bucket of results. resultKey is for the first result of a job, differKey for a later
// result that differs from the first.
const (
	resultKey = "r."
	differKey = "x."
)

const consumerName = "workers"

// queue holds the data of a sweep in JetStream.
type queue struct {
	id       string
	js       jetstream.JetStream
	registry jetstream.KeyValue
	results  jetstream.KeyValue
	files    jetstream.ObjectStore // bundles by checksum, and recordings
	stream   jetstream.Stream

	handle jetstream.Consumer // the consumer; nil until it is needed
}

// consumer returns the JetStream consumer that hands out the jobs of the sweep.
func (q *queue) consumer(ctx context.Context) (_ jetstream.Consumer, err error) {
	if q.handle == nil {
		q.handle, err = q.stream.Consumer(ctx, consumerName)
	}
	return q.handle, err
}

func streamName(id string) string  { return "SWEEP_" + id }
func resultsName(id string) string { return streamName(id) + "_results" }
func filesName(id string) string   { return streamName(id) + "_files" }
func subject(id, job string) string {
	return "omnipitch.sweep." + id + ".job." + job
}

// openRegistry returns the bucket that has an entry for each sweep. It returns nil if the server has no such bucket.
func openRegistry(ctx context.Context, js jetstream.JetStream) (jetstream.KeyValue, error) {
	kv, err := js.KeyValue(ctx, registry)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil, nil
	}
	return kv, err
}

// replicasOf returns the number of servers that must store a stream. This is the argument asked or, if larger, the
// number of servers that store the stream already, because another process may have asked for more.
func replicasOf(ctx context.Context, js jetstream.JetStream, stream string, asked int) (int, error) {
	s, err := js.Stream(ctx, stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return asked, nil
	}
	if err != nil {
		return 0, err
	}
	return max(asked, s.CachedInfo().Config.Replicas), nil
}

// bucket creates a bucket of keys with this name, or opens it if it exists.
func bucket(ctx context.Context, js jetstream.JetStream, name string, replicas int) (jetstream.KeyValue, error) {
	replicas, err := replicasOf(ctx, js, keysStream(name), replicas)
	if err != nil {
		return nil, err
	}
	return js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, Description: "of omnipitch sweep",
		Storage: jetstream.FileStorage, History: 1, Replicas: replicas})
}

// Names of the streams in which JetStream stores buckets.
func keysStream(bucket string) string  { return "KV_" + bucket }
func filesStream(bucket string) string { return "OBJ_" + bucket }

// createQueue creates the streams and buckets of a sweep, with the given number of replicas. Streams and buckets that
// exist already are opened.
func createQueue(ctx context.Context, nc *nats.Conn, id string, lease time.Duration, replicas int) (*queue, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	q := &queue{id: id, js: js}
	if q.registry, err = bucket(ctx, js, registry, replicas); err != nil {
		return nil, err
	}
	n, err := replicasOf(ctx, js, streamName(id), replicas)
	if err != nil {
		return nil, err
	}
	// A subject has at most one message, so the queue holds each job at most once.
	q.stream, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: streamName(id), Subjects: []string{subject(id, ">")}, Retention: jetstream.WorkQueuePolicy,
		Storage: jetstream.FileStorage, Replicas: n,
		Discard: jetstream.DiscardNew, MaxMsgsPerSubject: 1, DiscardNewPerSubject: true,
	})
	if err != nil {
		return nil, err
	}
	if q.results, err = bucket(ctx, js, resultsName(id), replicas); err != nil {
		return nil, err
	}
	if n, err = replicasOf(ctx, js, filesStream(filesName(id)), replicas); err != nil {
		return nil, err
	}
	if q.files, err = js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: filesName(id),
		Storage: jetstream.FileStorage, Replicas: n}); err != nil {
		return nil, err
	}
	// The old consumer may have given jobs to workers that are gone. A new consumer hands out these jobs again at once.
	if err := q.stream.DeleteConsumer(ctx, consumerName); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil, err
	}
	_, err = q.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: consumerName,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: lease, MaxAckPending: -1})
	return q, err
}

// joinQueue opens the queue of a sweep that another process has created.
func joinQueue(ctx context.Context, js jetstream.JetStream, reg jetstream.KeyValue, id string) (q *queue, err error) {
	q = &queue{id: id, js: js, registry: reg}
	if q.stream, err = js.Stream(ctx, streamName(id)); err == nil {
		q.results, err = js.KeyValue(ctx, resultsName(id))
	}
	if err == nil {
		q.files, err = js.ObjectStore(ctx, filesName(id))
	}
	return q, err
}

// announce writes the entry of the sweep.
func (q *queue) announce(ctx context.Context, e *Entry) error {
	data, err := json.Marshal(e)
	if err == nil {
		_, err = q.registry.Put(ctx, q.id, data)
	}
	return err
}

// entry reads the entry of a sweep.
func entry(ctx context.Context, reg jetstream.KeyValue, id string) (e Entry, err error) {
	got, err := reg.Get(ctx, id)
	if err == nil {
		err = json.Unmarshal(got.Value(), &e)
	}
	return e, err
}

// push puts a job into the queue. It does nothing if the job is in the queue already.
func (q *queue) push(ctx context.Context, job *Job) error {
	data, err := json.Marshal(job)
	if err != nil {
		return err
	}
	_, err = q.js.Publish(ctx, subject(q.id, job.Key), data)
	if refused, ok := errors.AsType[*jetstream.APIError](err); ok && refused.ErrorCode == errNotStored &&
		strings.Contains(refused.Description, "per subject") {
		return nil
	}
	return err
}

// errNotStored is the error code of a server that does not store a message. Here the reason is that the subject has a
// message already. Source: nats-server, server/errors.json, JSStreamStoreFailedF, with ErrMaxMsgsPerSubject of
// server/store.go: "maximum messages per subject exceeded".
const errNotStored = 10077

// putBundle stores a bundle under its checksum. It does nothing if the bundle is stored already.
func (q *queue) putBundle(ctx context.Context, sum string, data []byte) error {
	if _, err := q.files.GetInfo(ctx, sum); err == nil {
		return nil
	}
	_, err := q.files.PutBytes(ctx, sum, data)
	return err
}

// finish stores r as the result of its job. If the job already has a result, finish keeps that result. If that result
// differs from r and compare is true, finish also stores r under differKey. It returns true if r is the first result of
// the job.
func (q *queue) finish(ctx context.Context, r *Result, compare bool) (first bool, err error) {
	data, err := json.Marshal(r)
	if err != nil {
		return false, err
	}
	_, err = q.results.Create(ctx, resultKey+r.Job, data)
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return err == nil, err
	}
	got, err := q.results.Get(ctx, resultKey+r.Job)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return false, errBehind
	}
	if err != nil {
		return false, err
	}
	var other Result
	if err := json.Unmarshal(got.Value(), &other); err != nil {
		return false, nil // the stored value is not from a worker; the coordinator reports it
	}
	if other.Worker == r.Worker && other.Wall == r.Wall && other.Stored == r.Stored {
		return true, nil // the stored result is r: the reply to an earlier write of r was lost
	}
	if a, b := mustJSON(other.withoutWorker()), mustJSON(r.withoutWorker()); compare && a != b {
		if _, err := q.results.Create(ctx, differKey+r.Job, data); err != nil &&
			!errors.Is(err, jetstream.ErrKeyExists) {
			return false, err
		}
	}
	return false, nil
}

// replicationTime is the maximum time that a server of a cluster may take to receive the data that another server of
// the cluster has stored.
const replicationTime = 10 * time.Second

// bundle fetches the bundle of a world. In a cluster, it waits up to replicationTime for a bundle that the answering
// server has not received yet. After this time, a missing or damaged bundle is an error.
func (q *queue) bundle(ctx context.Context, sum string) (data []byte, err error) {
	begun := time.Now()
	err = patient(ctx, func() (err error) {
		data, err = q.bundleNow(ctx, sum)
		if (errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, jetstream.ErrDigestMismatch)) &&
			time.Since(begun) < replicationTime {
			err = errBehind
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("bundle of the world: %w", err)
	}
	return data, nil
}

func (q *queue) bundleNow(ctx context.Context, sum string) ([]byte, error) {
	asked, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	info, err := q.files.GetInfo(asked, sum)
	if err != nil {
		return nil, err
	}
	if info.Size > cluster.MostUnpacked {
		return nil, fmt.Errorf("has %d bytes: must have at most %d", info.Size, cluster.MostUnpacked)
	}
	within, cancel := context.WithTimeout(ctx, 10*time.Second+seconds(float64(info.Size)/minRate))
	defer cancel()
	return q.files.GetBytes(within, sum)
}

// errBehind means that the answering server of a cluster has not received yet what another server of the cluster has
// stored.
var errBehind = errors.New("NATS: the answering server has not received yet what another has stored")

// gone returns true if the server answers and has no such sweep, because the sweep was deleted.
func (q *queue) gone(ctx context.Context) bool {
	if !q.js.Conn().IsConnected() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, askEvery)
	defer cancel()
	_, err := q.js.Stream(ctx, streamName(q.id))
	return errors.Is(err, jetstream.ErrStreamNotFound)
}

// known reports whether a job has a result.
func (q *queue) known(ctx context.Context, job string) (bool, error) {
	_, err := q.results.Get(ctx, resultKey+job)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return false, nil
	}
	return err == nil, err
}

func mustJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain structs
	}
	return string(data)
}

// isTransient reports whether a retry may succeed, because the error comes from a broken connection or from a server
// that is restarting.
func isTransient(err error) bool {
	for _, transient := range []error{nats.ErrNoResponders, nats.ErrTimeout, nats.ErrConnectionClosed,
		nats.ErrConnectionReconnecting, nats.ErrDisconnected, nats.ErrNoServers, errBehind,
		jetstream.ErrConsumerNotFound, jetstream.ErrConsumerDeleted, jetstream.ErrNoHeartbeat,
		jetstream.ErrNoStreamResponse, context.DeadlineExceeded} {
		if errors.Is(err, transient) {
			return true
		}
	}
	answer, ok := errors.AsType[*jetstream.APIError](err)
	return ok && answer.Code >= 500
}

// answerWithin is the maximum time to wait for a server that restarts. jetStreamWithin is the maximum time to wait for
// a server that answers without JetStream, because it may still be reading its storage.
const (
	answerWithin    = 90 * time.Second
	jetStreamWithin = 10 * time.Second
)

// patient calls the function f again and again until it succeeds or fails with an error that is not transient. It gives
// up if the server stays away for longer than answerWithin. It then returns an error marked with console.Unavailable.
func patient(ctx context.Context, f func() error) error {
	for begun := time.Now(); ; {
		err := f()
		if err == nil || ctx.Err() != nil {
			return err
		}
		if !isTransient(err) {
			return fmt.Errorf("NATS: %w", err)
		}
		switch waited := time.Since(begun); {
		case errors.Is(err, nats.ErrNoResponders) && waited > jetStreamWithin:
			return console.Unavailablef("NATS: the server has no JetStream")
		case errors.Is(err, nats.ErrConnectionClosed) || waited > answerWithin:
			return console.Unavailablef("NATS: %w", err)
		}
		sleep(ctx, askEvery/4)
	}
}

func sleep(ctx context.Context, span time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(span):
	}
}

// Possible reports whether a server can hold sweeps. A server without JetStream cannot. An example is the server of a
// run with --workers.
func Possible(ctx context.Context, nc *nats.Conn) bool {
	if here, _ := nc.ConnectedServerJetStream(); here {
		return true
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return true // Serve will return the error
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err = js.AccountInfo(ctx) // another server of the cluster may have JetStream
	return !errors.Is(err, nats.ErrNoResponders) && !errors.Is(err, jetstream.ErrJetStreamNotEnabled)
}
