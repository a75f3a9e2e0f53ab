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
)

// registry is the bucket that has an entry for each sweep.
const registry = "omnipitch_sweeps"

// Entry is what workers must know of a sweep before they take its jobs.
type Entry struct {
	ID       string        `json:"id"`
	Name     string        `json:"name"`
	Version  string        `json:"version"` // of the program that made it
	Probe    string        `json:"probe"`   // state hash of the probe run there
	Programs bool          `json:"programs"`
	Record   bool          `json:"record"` // failures are recorded
	Lease    time.Duration `json:"lease_ns"`
	Jobs     int           `json:"jobs"`
	Queued   bool          `json:"queued"` // all jobs are in the queue, or have a result
	Done     bool          `json:"done"`
}

// Prefixes of keys in the bucket of results: results, and those that differ from the one that came before.
const (
	resultKey = "r."
	differKey = "x."
)

const consumerName = "workers"

// queue is a sweep in JetStream.
type queue struct {
	id       string
	js       jetstream.JetStream
	registry jetstream.KeyValue
	results  jetstream.KeyValue
	files    jetstream.ObjectStore // bundles by their checksums, recordings
	stream   jetstream.Stream

	handle jetstream.Consumer // of this worker; nil: to be asked for
}

// consumer is what hands out the jobs.
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

// openRegistry returns the bucket of sweeps; nil: there is none.
func openRegistry(ctx context.Context, js jetstream.JetStream) (jetstream.KeyValue, error) {
	kv, err := js.KeyValue(ctx, registry)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil, nil
	}
	return kv, err
}

// replicasOf is how many servers are to keep a stream: as many as is asked for, and no fewer than do already, since
// others may have asked for them.
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

// bucket makes a bucket of keys, or finds it as it was left.
func bucket(ctx context.Context, js jetstream.JetStream, name string, replicas int) (jetstream.KeyValue, error) {
	replicas, err := replicasOf(ctx, js, keysStream(name), replicas)
	if err != nil {
		return nil, err
	}
	return js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, Description: "of omnipitch sweep",
		Storage: jetstream.FileStorage, History: 1, Replicas: replicas})
}

// Names of the streams that JetStream keeps buckets in.
func keysStream(bucket string) string  { return "KV_" + bucket }
func filesStream(bucket string) string { return "OBJ_" + bucket }

// createQueue makes what a sweep needs, on as many servers of a cluster each, or finds it as it was left.
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
	// One job is in the queue once: another message of its subject is refused.
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
	// A new consumer gives out at once what the last one had given to workers that may be gone.
	if err := q.stream.DeleteConsumer(ctx, consumerName); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil, err
	}
	_, err = q.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: consumerName,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: lease, MaxAckPending: -1})
	return q, err
}

// joinQueue finds a sweep that another process has made.
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

// announce writes the sweep's entry.
func (q *queue) announce(ctx context.Context, e *Entry) error {
	data, err := json.Marshal(e)
	if err == nil {
		_, err = q.registry.Put(ctx, q.id, data)
	}
	return err
}

// entry reads a sweep's entry.
func entry(ctx context.Context, reg jetstream.KeyValue, id string) (e Entry, err error) {
	got, err := reg.Get(ctx, id)
	if err == nil {
		err = json.Unmarshal(got.Value(), &e)
	}
	return e, err
}

// push puts a job into the queue, where it may be already.
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

// errNotStored is what the server answers when it stores no message, here since the subject has one. Source:
// nats-server, server/errors.json, JSStreamStoreFailedF, with ErrMaxMsgsPerSubject of server/store.go: "maximum
// messages per subject exceeded".
const errNotStored = 10077

// putBundle stores a bundle, unless it is there.
func (q *queue) putBundle(ctx context.Context, sum string, data []byte) error {
	if _, err := q.files.GetInfo(ctx, sum); err == nil {
		return nil
	}
	_, err := q.files.PutBytes(ctx, sum, data)
	return err
}

// finish writes a job's result. The second of two is compared with the first, and dropped; where they differ the second
// is kept beside.
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
		return false, nil // no worker's: the coordinator says so
	}
	if other.Worker == r.Worker && other.Wall == r.Wall && other.Stored == r.Stored {
		return true, nil // this very one, whose first answer was lost
	}
	if a, b := mustJSON(other.lone()), mustJSON(r.lone()); compare && a != b {
		if _, err := q.results.Create(ctx, differKey+r.Job, data); err != nil &&
			!errors.Is(err, jetstream.ErrKeyExists) {
			return false, err
		}
	}
	return false, nil
}

// behindWithin is how long a server of a cluster may take to hear what another has stored.
const behindWithin = 10 * time.Second

// bundle fetches a world's bundle. One that a server has not heard of yet is waited for; then that it is not there is
// the job's fault, as it is that nobody can read it.
func (q *queue) bundle(ctx context.Context, sum string) (data []byte, err error) {
	begun := time.Now()
	err = patient(ctx, func() (err error) {
		data, err = q.bundleNow(ctx, sum)
		if (errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, jetstream.ErrDigestMismatch)) &&
			time.Since(begun) < behindWithin {
			err = errBehind
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the world's bundle: %w", err)
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
	within, cancel := context.WithTimeout(ctx, 10*time.Second+seconds(float64(info.Size)/leastRate))
	defer cancel()
	return q.files.GetBytes(within, sum)
}

// errBehind is of a server of a cluster that answers before it has heard what another has stored.
var errBehind = errors.New("NATS: the server that answers has not heard yet of what another has stored")

// gone tells whether the sweep has been removed from a server that answers.
func (q *queue) gone(ctx context.Context) bool {
	if !q.js.Conn().IsConnected() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, askEvery)
	defer cancel()
	_, err := q.js.Stream(ctx, streamName(q.id))
	return errors.Is(err, jetstream.ErrStreamNotFound)
}

// known tells whether a job has a result.
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
