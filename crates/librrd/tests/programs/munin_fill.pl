# Makes the databases of munin.datafile: DIRECTORY END.
use strict;
use warnings;
use RRDs;

my ($directory, $end) = @ARGV;
my ($step, $updates) = (300, 5000);
my $start = $end - $step * $updates;
# The last letter of a name tells the kind of its source, as Munin has it.
my %kinds = (g => 'GAUGE', d => 'DERIVE', c => 'COUNTER', a => 'ABSOLUTE');
my %mean = (
    'load-load-g' => 20, 'if_eth0-down-d' => 4e6, 'if_eth0-up-d' => 7e5, 'cpu-system-g' => 11,
    'cpu-user-g' => 60, 'cpu-nice-g' => 3, 'cpu-idle-g' => 125, 'memory-apps-g' => 2.2e9,
    'memory-cache-g' => 3e9, 'memory-free-g' => 9e8, 'errors-in-c' => 0.4, 'errors-out-a' => 120,
    'temperature-inside-g' => 22, 'temperature-outside-g' => 9, 'disk-rootfs-g' => 61,
    'disk-var-g' => 33, 'uptime-uptime-g' => 44, 'sockets-in1-g' => 12, 'sockets-out1-g' => 1300,
    'sockets-in2-g' => 70, 'sockets-out2-g' => 400,
);
my @archives = map { my $cf = $_; map {"RRA:$cf:0.5:$_"} '1:576', '6:432', '24:540', '288:450' } qw(AVERAGE MIN MAX);

my $nth = 0;
for my $name (sort keys %mean) {
    $nth++;
    my $file = "$directory/example.test-$name.rrd";
    RRDs::create($file, '--start', $start, '--step', $step, "DS:42:$kinds{substr $name, -1}:600:U:U", @archives);
    die RRDs::error() if RRDs::error();
    my ($sum, @readings) = (0);
    for my $n (1 .. $updates) {
        my $value = $mean{$name} * (1 + 0.6 * sin($n * $nth / 300) + ($n * 7 % 13) / 40);
        $value = $sum += int($value * $step) if $name =~ /-[cd]$/;
        $value = int($value) if $name =~ /-a$/;
        push @readings, ($start + $step * $n) . ':' . ($n % 400 == 0 ? 'U' : $value);
    }
    RRDs::update($file, @readings);
    die RRDs::error() if RRDs::error();
}
