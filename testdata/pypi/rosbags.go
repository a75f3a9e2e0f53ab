package pypi

// Rosbags are the requirements of the Python package rosbags, which reads definitions, messages and bags of ROS 2
// without ROS. Packages with compiled code have hashes for x86-64 and ARM.
var Rosbags = []string{
	"rosbags==0.11.9 --hash=sha256:010c5a48b326e4dad6a79183db243c7b59188121d37b629d8c166ecaed3fc890",
	"ruamel.yaml==0.19.1 --hash=sha256:27592957fedf6e0b62f281e96effd28043345e0e66001f97683aa9a40c667c93",
	"typing_extensions==4.9.0 --hash=sha256:af72aea155e91adfc61c3ae9e0e342dbc0cba726d6cba4b6c72c1f34e47291cd",
	"lz4==4.4.5 --hash=sha256:75419bb1a559af00250b8f1360d508444e80ed4b26d9d40ec5b09fe7875cb989 " +
		"--hash=sha256:609a69c68e7cfcfa9d894dc06be13f2e00761485b62df4e2472f1b66f7b405fb",
	"backports.zstd==1.8.0 --hash=sha256:9c7fe40a58dbe1fd358e0ceb5b6b3f50a9b328f8fff42dcb3bdaeb9a022c2506 " +
		"--hash=sha256:c6f9ecc5a251fd9495ee717daa0dc87c195f50d6d3679ddb430eb58256a0ca53",
	"apsw==3.54.1.0 --hash=sha256:55f7fd02953f7f8cc188b1015afd0b5f1148412c368362bab24d3e8c69d07322 " +
		"--hash=sha256:9f715dd29d9a6e47929ee86ad9cc119e6ac58008d6e215dd213665309a5802e6",
}
