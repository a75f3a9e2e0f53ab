// Package sweep runs worlds × points × seeds. A point sets keys of the worlds to other values. One job is one run of a
// world at a point with a seed, as omnipitch test does it. Jobs are in a work queue of NATS JetStream, so any number of
// processes can do them, and results survive the end of any process:
//
//	plan, err := sweep.Load(ctx, "friction.toml", checks...)   // reads the file, and each world at each point
//	server, err := cluster.Serve(cluster.ServerConfig{Folder: dir}) // in this process, without a port
//	results, err := (&sweep.Coordinator{...}).Run(ctx)
//
// A job carries its world as a bundle of files, and no path. Its result is stored once, under the key of the job. A
// later result of the same job is compared with the first and discarded. Package sweep has no flags and prints only
// tables.
package sweep
